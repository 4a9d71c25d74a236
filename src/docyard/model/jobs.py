"""Jobs, leases, outcomes, workers and dead letters."""

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
    """A job to be enqueued."""

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
        """Raise BadInput if the delay is negative."""
        if self.delay_seconds < 0:
            raise BadInput("The delay of a job must not be negative.")


@dataclass(frozen=True, slots=True)
class Lease:
    """A job leased to a worker; the fence distinguishes this lease from earlier and later ones of the job."""

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
    # Set when the job resumes after waiting for its children: how many there were, and how many failed.
    children: int = 0
    children_failed: int = 0
    waited: float = 0.0  # total seconds of snoozes; set only by `lock_lease`
    taken_from: UUID | None = None  # the worker that ran the attempt, if the reaper has taken the job over

    @property
    def ran_by(self) -> UUID:
        """The worker that ran the attempt."""
        return self.taken_from or self.worker_id

    @property
    def last_attempt(self) -> bool:
        """Whether no further attempt is left after this one."""
        return self.attempts >= self.max_attempts


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of a job; if it is `degraded`, category and message state what is missing."""

    lease: Lease
    outcome: Literal["done", "degraded", "cancelled"] = "done"
    category: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class JobFailure:
    """A failed attempt; the job is retried after `delay` seconds, or becomes a dead letter if `final`."""

    lease: Lease
    category: str
    message: str
    final: bool
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Snooze:
    """A pause before the job runs again; it uses up no attempt."""

    lease: Lease
    seconds: float
    category: str
    message: str


Outcome = Completion | JobFailure | Snooze


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as it registers with the queue."""

    id: UUID
    host: str
    pid: int
    pools: tuple[str, ...]
    slots: int
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that will not be retried automatically, with the reason."""

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
