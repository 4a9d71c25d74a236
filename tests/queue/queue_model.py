"""The queue as a few lines of Python: what each operation must come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from docyard.model.jobs import Lease, NewJob

LIVE = ("pending", "scheduled", "running")


@dataclass
class ModelJob:
    """One job; `failures` counts the entries its failure history must have."""

    new: NewJob
    state: str
    attempts: int = 0
    fence: int = 0
    holder: UUID | None = None
    failures: int = 0

    def leave(self, state: str) -> None:
        """Nobody holds it any more."""
        self.state, self.holder = state, None


@dataclass
class ModelQueue:
    """All jobs there ever were, by id."""

    jobs: dict[UUID, ModelJob] = field(default_factory=dict)

    def ids(self, *states: str) -> set[UUID]:
        """The jobs in these states."""
        return {job_id for job_id, job in self.jobs.items() if job.state in states}

    def held_by(self, worker_id: UUID) -> set[UUID]:
        """The jobs this worker holds."""
        return {job_id for job_id, job in self.jobs.items() if job.holder == worker_id}

    def key_is_live(self, key: str | None) -> bool:
        """Whether work of this key is under way."""
        return key is not None and any(self.jobs[live].new.dedupe_key == key for live in self.ids(*LIVE))

    def holds(self, lease: Lease) -> bool:
        """Whether this lease is the current one."""
        job = self.jobs[lease.job_id]
        return (job.state, job.fence, job.holder) == ("running", lease.fence, lease.worker_id)

    def claim(self, lease: Lease) -> None:
        """A lease was given."""
        job = self.jobs[lease.job_id]
        assert job.state == "pending"
        job.state, job.holder = "running", lease.worker_id
        job.attempts += 1
        job.fence += 1
        assert (lease.fence, lease.attempts) == (job.fence, job.attempts)

    def settle(self, lease: Lease, how: str, delay: float) -> bool:
        """An outcome was reported; False when it must be refused."""
        if not self.holds(lease):
            return False
        job = self.jobs[lease.job_id]
        job.failures += how != "done"
        job.attempts -= how == "snoozed"
        if how == "retry" and job.attempts == job.new.max_attempts:
            how = "dead"
        again = "scheduled" if delay else "pending"
        job.leave(how if how in ("done", "dead") else again)
        return True

    def give_back(self, worker_id: UUID) -> None:
        """A worker returned what it held."""
        for job in self.jobs.values():
            if job.holder == worker_id:
                job.leave("pending")
                job.attempts -= 1
                job.fence += 1

    def replay(self, ids: list[UUID]) -> set[UUID]:
        """Letters were put back; those whose work is live stay."""
        gone = set()
        for job_id in ids:
            job = self.jobs[job_id]
            if job.state == "dead" and not self.key_is_live(job.new.dedupe_key):
                job.leave("pending")
                job.attempts = 0
                gone.add(job_id)
        return gone

    def cancel(self, document_id: UUID) -> None:
        """A document was removed."""
        for job in self.jobs.values():
            if job.new.document_id == document_id and job.state in (*LIVE, "dead"):
                job.leave("discarded" if job.state == "dead" else "cancelled")
