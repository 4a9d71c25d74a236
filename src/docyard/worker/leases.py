"""The leases of this worker, and their return or loss."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from uuid import UUID

import psycopg

from docyard import log, queue
from docyard.db import Database
from docyard.errors import Unavailable
from docyard.model.connections import is_connection_pool
from docyard.model.failures import LOCKED
from docyard.model.jobs import Lease, Snooze
from docyard.pipeline.run import Pipeline
from docyard.store.documents import mark_returned

_WAIT_SECONDS = 10.0  # for the server; the worker claims nothing meanwhile
_STRAY_AFTER_SECONDS = 5.0  # a newer lease may belong to a claim whose response has not arrived yet
# How long a job waits for a lock of another transaction; the wait doubles each time.
_MIN_LOCK_SECONDS, _MAX_LOCK_SECONDS = 1.0, 15.0
_LOCK_MESSAGE = "Another transaction holds a lock on the document. The job waits and is tried again."


class Leases:
    """The leases whose jobs run in this process, compared at intervals with those in the database."""

    def __init__(self, pipeline: Pipeline, worker_id: UUID) -> None:
        self._pipeline = pipeline
        self._worker_id = worker_id
        self._leases: dict[UUID, Lease] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._leases)

    def count_llm_leases(self) -> int:
        """Return the number of leases whose jobs call an LLM."""
        with self._lock:
            return sum(is_connection_pool(lease.pool) for lease in self._leases.values())

    def add(self, lease: Lease) -> None:
        """Add a lease before its job starts; if an earlier lease of the job was lost, abort its child call."""
        with self._lock:
            earlier = self._leases.get(lease.job_id)
            self._leases[lease.job_id] = lease
        if earlier is not None:
            self._pipeline.children.abort(lease.job_id)  # the calls of both leases have the same key

    def drop(self, leases: Iterable[Lease]) -> None:
        """Remove leases whose jobs have ended; a newer lease of the same job is kept."""
        with self._lock:
            for lease in leases:
                if self._leases.get(lease.job_id) is lease:
                    del self._leases[lease.job_id]

    def abort(self) -> None:
        """Abort the child calls of all leased jobs."""
        for job_id in self._list_jobs():
            self._pipeline.children.abort(job_id)

    def return_all(self) -> None:
        """Return every lease to the queue without using up an attempt, except those of locked jobs."""
        self._return([], 0.0)

    def reconcile(self) -> None:
        """Compare the leases with the database: return stray leases, and abort jobs whose lease was lost."""
        self.return_strays()
        self.abort_lost()

    def abort_lost(self) -> None:
        """Abort jobs whose lease was lost because they were cancelled or leased to another worker."""
        with self._lock:
            leases = list(self._leases.values())
        if not leases:
            return
        with self._pipeline.db.statement() as conn:
            fences = queue.find_leased_jobs(conn, self._worker_id)
        for lease in leases:
            if fences.get(lease.job_id) != lease.fence and self._leases.get(lease.job_id) is lease:
                log.debug("job_no_longer_leased", job=lease.job_id, document=lease.document_id)
                self._pipeline.children.abort(lease.job_id)

    def return_all_strays(self) -> bool:
        """Return stray leases of any age; return whether none is left, which another transaction may have locked."""
        known = set(self._list_jobs())
        self.return_strays(0.0)
        with self._pipeline.db.statement() as conn:
            return queue.find_leased_jobs(conn, self._worker_id).keys() <= known

    def return_strays(self, held_seconds: float = _STRAY_AFTER_SECONDS) -> None:
        """Return leases that exist only in the database, for example because a claim's response was lost."""
        strays = self._return(self._list_jobs(), held_seconds)
        if strays:
            log.warn("stray_leases_returned", worker=self._worker_id, documents=len(strays))

    def _return(self, except_jobs: list[UUID], held_seconds: float) -> list[UUID]:
        with self._pipeline.db.transaction() as conn, conn.limit_wait(_WAIT_SECONDS):
            documents = queue.release_leases(conn, self._worker_id, except_jobs=except_jobs, held_seconds=held_seconds)
            mark_returned(conn, documents)
        return documents

    def _list_jobs(self) -> list[UUID]:
        with self._lock:
            return list(self._leases)


def put_back(db: Database, lease: Lease) -> None:
    """Let a job wait without using an attempt; if its own row is locked, it stays leased.

    The worker returns such a lease to the queue later, as it does with every lease whose job it does not run.
    """
    try:
        with db.transaction() as conn:
            waited = queue.lock_free_lease(conn, lease)
            if waited is not None:
                seconds = min(max(waited, _MIN_LOCK_SECONDS), _MAX_LOCK_SECONDS)
                queue.settle(conn, [Snooze(lease, seconds, LOCKED, _LOCK_MESSAGE)])
                if lease.type == "document" and lease.document_id is not None:
                    mark_returned(conn, [lease.document_id])
    except (Unavailable, psycopg.Error) as error:
        log.warn("locked_job_not_put_back", job=lease.job_id, error=str(error).strip())
    else:
        log.event("job_locked", job=lease.job_id, document=lease.document_id, put_back=waited is not None)
