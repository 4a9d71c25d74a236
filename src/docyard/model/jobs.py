"""Jobs as they enter the queue, as a worker holds them, and as they end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from docyard.errors import BadInput
from docyard.model.tiers import DEFAULT_MAX_ATTEMPTS, DEFAULT_PRIORITY, Tier


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be put into the queue."""

    workspace_id: UUID
    pool: str
    type: str
    stage: str | None = None
    document_id: UUID | None = None
    tier: Tier = Tier.BACKGROUND
    priority: int = DEFAULT_PRIORITY
    payload: Mapping[str, object] = field(default_factory=dict)
    entity_type: str | None = None
    entity_id: str | None = None
    dedupe_key: str | None = None
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    delay_seconds: float = 0.0
    arrived_at: datetime | None = None
    parent_id: UUID | None = None

    def __post_init__(self) -> None:
        """Nothing can be asked for that should have been done already."""
        if self.delay_seconds < 0:
            raise BadInput("A job cannot be delayed by less than nothing.")


@dataclass(frozen=True, slots=True)
class Lease:
    """A job held by one worker; the fence tells this holding from any other, before or after."""

    job_id: UUID
    fence: int
    worker_id: UUID
    workspace_id: UUID
    pool: str
    type: str
    stage: str | None
    document_id: UUID | None
    tier: Tier
    priority: int
    payload: Mapping[str, object]
    attempts: int
    max_attempts: int
    arrived_at: datetime
    # Set when the job goes on after waiting for children: how many there were, and how many failed.
    children: int = 0
    children_failed: int = 0
    waited: float = 0.0  # seconds of snoozes so far, where that was asked

    @property
    def last_attempt(self) -> bool:
        """Whether a failure now would be final."""
        return self.attempts >= self.max_attempts


@dataclass(frozen=True, slots=True)
class Done:
    """The job reached its end; `degraded` ones say what they had to do without."""

    lease: Lease
    outcome: Literal["done", "degraded", "cancelled"] = "done"
    category: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The job failed; it is tried again after `delay` seconds, or kept as a dead letter when `final`."""

    lease: Lease
    category: str
    message: str
    final: bool
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Snoozed:
    """The job must wait, without spending an attempt."""

    lease: Lease
    seconds: float
    category: str
    message: str


Outcome = Done | Failed | Snoozed


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as it introduces itself to the queue."""

    id: UUID
    host: str
    pid: int
    pools: tuple[str, ...]
    slots: int
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that will not run again by itself, and why."""

    id: UUID
    workspace_id: UUID
    type: str
    stage: str | None
    document_id: UUID | None
    document_name: str | None
    category: str
    message: str
    fingerprint: str
    attempts: int
    died_at: datetime
    failure_history: tuple[Mapping[str, object], ...]
