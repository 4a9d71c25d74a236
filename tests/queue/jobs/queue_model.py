"""The queue as a few lines of Python: what each operation must come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from docyard.model.jobs import Lease, NewJob

LIVE = ("pending", "scheduled", "running", "waiting")


@dataclass
class ModelJob:
    """One job; `failures` counts the entries its failure history must have."""

    new: NewJob
    state: str
    attempts: int = 0
    fence: int = 0
    holder: UUID | None = None
    failures: int = 0
    snoozed: bool = False  # whether the last entry counts snoozes
    parent: UUID | None = None
    children: int = 0
    left: int = 0
    children_failed: int = 0

    def leave(self, state: str) -> None:
        """Nobody holds it any more."""
        self.state, self.holder = state, None

    def note(self, how: str) -> None:
        """An entry is added to its failure history, unless it is one more snooze in a row."""
        self.failures += how != "done" and not (how == "snoozed" and self.snoozed)
        self.snoozed = how == "snoozed"


@dataclass
class ModelQueue:
    """All jobs there ever were, by id, and the retries granted in this period."""

    budget: int
    jobs: dict[UUID, ModelJob] = field(default_factory=dict)
    granted: int = 0

    def ids(self, *states: str) -> set[UUID]:
        """The jobs in these states."""
        return {job_id for job_id, job in self.jobs.items() if job.state in states}

    def oldest(self, *states: str) -> list[UUID]:
        """The same in the order in which they came."""
        return [job_id for job_id, job in self.jobs.items() if job.state in states]

    def held_by(self, worker_id: UUID) -> set[UUID]:
        """The jobs this worker holds."""
        return {job_id for job_id, job in self.jobs.items() if job.holder == worker_id}

    def live_with_key(self, key: str | None) -> UUID | None:
        """The job under way that does this work."""
        found = (one for one in self.ids(*LIVE) if key and self.jobs[one].new.dedupe_key == key)
        return next(found, None)

    def of_documents(self) -> set[UUID]:
        """The live jobs that belong to a document."""
        return {one for one in self.ids(*LIVE) if self.jobs[one].new.document_id}

    def children_of(self, parent: UUID) -> set[UUID]:
        """The live children of a job."""
        return {one for one in self.ids(*LIVE) if self.jobs[one].parent == parent}

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
        assert (lease.children, lease.children_failed) == (job.children, job.children_failed)

    def settle(self, lease: Lease, how: str, delay: float) -> bool:
        """An outcome was reported; False when it must be refused."""
        if not self.holds(lease):
            return False
        job = self.jobs[lease.job_id]
        job.note(how)
        job.attempts -= how == "snoozed"
        if how == "retry" and job.attempts == job.new.max_attempts:
            how = "dead"
        if how in ("done", "dead"):
            self.end(lease.job_id, how)
            return True
        postponed = how == "retry" and self.granted >= self.budget
        self.granted += how == "retry"
        job.leave("scheduled" if delay or postponed else "pending")
        return True

    def end(self, job_id: UUID, state: str) -> None:
        """A job is over; a parent that waits for it counts it off."""
        job = self.jobs[job_id]
        job.leave(state)
        parent = self.jobs.get(job.parent) if job.parent else None
        job.parent = None
        if parent is None or parent.state != "waiting":
            return
        parent.left -= 1
        parent.children_failed += state != "done"
        if parent.left == 0:
            parent.leave("pending")

    def wait(self, lease: Lease, wanted: list[NewJob]) -> None:
        """A parent, whose new children are in the model already, waits for all that live."""
        keys = [new.dedupe_key for new in wanted]
        live = [one for key in keys if (one := self.live_with_key(key)) and one != lease.job_id]
        for one in live:
            self.jobs[one].parent = self.jobs[one].parent or lease.job_id
        job, children = self.jobs[lease.job_id], len(self.children_of(lease.job_id))
        elsewhere = any(self.jobs[one].parent != lease.job_id for one in live)
        own_parent = job.parent is not None and job.new.dedupe_key in keys and job.new.dedupe_key is not None
        soon = not children and (elsewhere or own_parent)
        job.leave("waiting" if children else "scheduled" if soon else "pending")
        job.children, job.left, job.children_failed = 0 if soon else max(1, children), children, 0
        job.attempts -= 1

    def take_over(self, job_id: UUID, reaper: UUID, *, waited: bool = False) -> None:
        """A job is in the hands of a reaper."""
        job = self.jobs[job_id]
        job.state, job.holder = "running", reaper
        job.fence += 1
        job.attempts += waited
        job.left = 0

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
            if job.state == "dead" and not self.live_with_key(job.new.dedupe_key):
                job.leave("pending")
                job.attempts = job.children = job.left = job.children_failed = 0
                gone.add(job_id)
        return gone

    def cancel(self, ids: Iterable[UUID]) -> set[UUID]:
        """Jobs were cancelled with all they wait for."""
        family, new = set[UUID](), set(ids) & self.ids(*LIVE)
        while new:
            family |= new
            new = {child for one in new for child in self.children_of(one)} - family
        for one in family:
            if self.jobs[one].parent in family:
                self.jobs[one].parent = None
        for one in family:
            self.end(one, "cancelled")
        return family

    def cancel_document(self, document_id: UUID) -> None:
        """A document was removed."""
        of_document = {one for one, job in self.jobs.items() if job.new.document_id == document_id}
        self.cancel(of_document)
        for one in of_document & self.ids("dead"):
            self.jobs[one].leave("discarded")
