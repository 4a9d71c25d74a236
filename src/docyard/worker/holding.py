"""The leases a worker has in hand, and what becomes of them when it must let go."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from uuid import UUID

from docyard import log, queue
from docyard.model.connections import is_connection_pool
from docyard.model.jobs import Lease
from docyard.pipeline.run import Pipeline
from docyard.store.documents import mark_waiting

_STRAY_AFTER_SECONDS = 5.0


class Holding:
    """Knows what runs here; the database knows what it gave us, and the two are compared."""

    def __init__(self, pipeline: Pipeline, worker_id: UUID) -> None:
        self._pipeline = pipeline
        self._worker_id = worker_id
        self._leases: dict[UUID, Lease] = {}
        self._guard = threading.Lock()

    def __len__(self) -> int:
        return len(self._leases)

    def asking(self) -> int:
        """How many of them wait for a language model."""
        with self._guard:
            return sum(is_connection_pool(lease.pool) for lease in self._leases.values())

    def add(self, lease: Lease) -> None:
        """Take a lease in hand."""
        with self._guard:
            self._leases[lease.job_id] = lease

    def drop(self, leases: Iterable[Lease]) -> None:
        """They have ended; the same job may have been given to us again meanwhile, and stays."""
        with self._guard:
            for lease in leases:
                if self._leases.get(lease.job_id) is lease:
                    del self._leases[lease.job_id]

    def abort(self) -> None:
        """End the work on everything in hand."""
        for job_id in self._jobs():
            self._pipeline.children.abort(job_id)

    def give_back(self) -> None:
        """Return every lease unspent."""
        self._return([], 0.0)

    def compare(self) -> None:
        """Make what runs here and what the database gave us the same."""
        self.return_strays()
        self.abort_lost()

    def abort_lost(self) -> None:
        """End the work on jobs that are no longer ours: cancelled, taken back, or given to another."""
        with self._guard:
            ours = list(self._leases.values())
        if not ours:
            return
        with self._pipeline.db.statement() as conn:
            held = queue.held_jobs(conn, self._worker_id)
        for lease in ours:
            if held.get(lease.job_id) != lease.fence and self._leases.get(lease.job_id) is lease:
                log.debug("job_is_not_ours", job=lease.job_id, document=lease.document_id)
                self._pipeline.children.abort(lease.job_id)

    def return_strays(self) -> None:
        """Return jobs that were given to us but never reached us, as when the answer to a claim is lost."""
        strays = self._return(self._jobs(), _STRAY_AFTER_SECONDS)
        if strays:
            log.warn("stray_leases_returned", worker=self._worker_id, documents=len(strays))

    def _return(self, except_jobs: list[UUID], held_seconds: float) -> list[UUID]:
        with self._pipeline.db.transaction() as conn:
            documents = queue.give_back(
                conn, self._worker_id, except_jobs=except_jobs, held_seconds=held_seconds
            )
            for document_id in documents:
                mark_waiting(conn, document_id)
        return documents

    def _jobs(self) -> list[UUID]:
        with self._guard:
            return list(self._leases)
