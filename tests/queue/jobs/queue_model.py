"""A model of the queue in Python, with the expected result of each operation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from docyard.model.jobs import Lease, NewJob

LIVE = ("pending", "scheduled", "running", "waiting")


@dataclass
class ModelJob:
    """A job; `failures` is the expected length of its failure history."""

    new: NewJob
    state: str
    attempts: int = 0
    fence: int = 0
    holder: UUID | None = None
    failures: int = 0
    snoozed: bool = False  # the last entry of the history counts snoozes
    parent: UUID | None = None
    children: int = 0
    left: int = 0
    children_failed: int = 0

    def leave(self, state: str) -> None:
        """Change the state and clear the lease."""
        self.state, self.holder = state, None

    def note(self, how: str) -> None:
        """Record an outcome; a success, or a snooze right after another, adds no entry to the failure history."""
        self.failures += how != "done" and not (how == "snoozed" and self.snoozed)
        self.snoozed = how == "snoozed"


@dataclass
class ModelQueue:
    """All jobs ever added, by id, and the retries granted in the current period."""

    budget: int
    jobs: dict[UUID, ModelJob] = field(default_factory=dict)
    granted: int = 0

    def ids(self, *states: str) -> set[UUID]:
        """Return the ids of the jobs in these states."""
        return {job_id for job_id, job in self.jobs.items() if job.state in states}

    def oldest(self, *states: str) -> list[UUID]:
        """Return the ids of the jobs in these states, in order of arrival."""
        return [job_id for job_id, job in self.jobs.items() if job.state in states]

    def held_by(self, worker_id: UUID) -> set[UUID]:
        """Return the ids of the jobs leased to this worker."""
        return {job_id for job_id, job in self.jobs.items() if job.holder == worker_id}

    def live_with_key(self, key: str | None) -> UUID | None:
        """Return the id of the live job with this dedupe key, or None."""
        found = (one for one in self.ids(*LIVE) if key and self.jobs[one].new.dedupe_key == key)
        return next(found, None)

    def of_documents(self) -> set[UUID]:
        """Return the ids of the live jobs that belong to a document."""
        return {one for one in self.ids(*LIVE) if self.jobs[one].new.document_id}

    def children_of(self, parent: UUID) -> set[UUID]:
        """Return the ids of the live children of a job."""
        return {one for one in self.ids(*LIVE) if self.jobs[one].parent == parent}

    def holds(self, lease: Lease) -> bool:
        """Return whether this lease is the current one of its job."""
        job = self.jobs[lease.job_id]
        return (job.state, job.fence, job.holder) == ("running", lease.fence, lease.worker_id)

    def claim(self, lease: Lease) -> None:
        """Record a claim."""
        job = self.jobs[lease.job_id]
        assert job.state == "pending"
        job.state, job.holder = "running", lease.worker_id
        job.attempts += 1
        job.fence += 1
        assert (lease.fence, lease.attempts) == (job.fence, job.attempts)
        assert (lease.children, lease.children_failed) == (job.children, job.children_failed)

    def settle(self, lease: Lease, how: str, delay: float) -> bool:
        """Record an outcome; return False if it must be refused."""
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
        """End a job, and update the counters of a parent that waits for it."""
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
        """Let a parent wait for its live children; new children must already be in the model."""
        keys = [new.dedupe_key for new in wanted]
        live = [one for key in keys if (one := self.live_with_key(key)) and one != lease.job_id]
        for one in live:
            self.jobs[one].parent = self.jobs[one].parent or lease.job_id
        job, children = self.jobs[lease.job_id], len(self.children_of(lease.job_id))
        elsewhere = any(self.jobs[one].parent != lease.job_id for one in live)
        own_parent = job.parent is not None and job.new.dedupe_key in keys and job.new.dedupe_key is not None
        recheck = not children and (elsewhere or own_parent)
        job.leave("waiting" if children else "scheduled" if recheck else "pending")
        job.children, job.left, job.children_failed = 0 if recheck else max(1, children), children, 0
        job.attempts -= 1

    def take_over(self, job_id: UUID, reaper: UUID, *, waited: bool = False) -> None:
        """Lease a job to a reaper."""
        job = self.jobs[job_id]
        job.state, job.holder = "running", reaper
        job.fence += 1
        job.attempts += waited
        job.left = 0

    def give_back(self, worker_id: UUID) -> None:
        """Release all leases of a worker."""
        for job in self.jobs.values():
            if job.holder == worker_id:
                job.leave("pending")
                job.attempts -= 1
                job.fence += 1

    def take_from_holder(self, job_id: UUID) -> None:
        """Take a job from its worker and start it again."""
        job = self.jobs[job_id]
        job.leave("pending")
        job.note("retry")
        job.attempts = 0
        job.fence += 1

    def replay(self, ids: list[UUID]) -> set[UUID]:
        """Replay dead letters, except those whose dedupe key a live job has; return their ids."""
        replayed = set()
        for job_id in ids:
            job = self.jobs[job_id]
            if job.state == "dead" and not self.live_with_key(job.new.dedupe_key):
                job.leave("pending")
                job.attempts = job.children = job.left = job.children_failed = 0
                replayed.add(job_id)
        return replayed

    def cancel(self, ids: Iterable[UUID]) -> set[UUID]:
        """Cancel jobs and their descendants; return the ids of all cancelled jobs."""
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
        """Cancel the jobs of a document and discard its dead letters."""
        of_document = {one for one, job in self.jobs.items() if job.new.document_id == document_id}
        self.cancel(of_document)
        for one in of_document & self.ids("dead"):
            self.jobs[one].leave("discarded")
