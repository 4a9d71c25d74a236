"""Settling finished jobs together: one commit for many, each accepted or refused by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docyard import clock, log, queue
from docyard.db import Connection, Database
from docyard.errors import Failure, Retry, Unavailable
from docyard.model.jobs import Done, Lease
from docyard.pipeline import step as steps

LARGEST = 100
LINGER_SECONDS = 0.05
_PAUSE, _LONGEST_PAUSE = 0.5, 5.0


@dataclass(frozen=True, slots=True)
class Finished:
    """A handler's word that its job is done; the effect is written in the same transaction, or not at all."""

    effect: Callable[[Connection], None] | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """A job to be settled: as done, or as this failure."""

    lease: Lease
    finished: Finished | None = None
    failure: Failure | None = None
    seconds: float = 0.0


class Settlements:
    """Collects what has ended and settles it at 100 or after 50 ms, at once when nothing else runs here."""

    def __init__(
        self,
        db: Database,
        in_hand: Callable[[], int],
        on_settled: Callable[[Sequence[Lease]], None],
        lost: threading.Event,
    ) -> None:
        self._db = db
        self._in_hand = in_hand
        self._on_settled = on_settled
        self._lost = lost
        self._ended: list[Settlement] = []
        self._since = 0.0
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="settlements", daemon=True)

    def start(self) -> None:
        """Begin to settle."""
        self._thread.start()

    def add(self, settlement: Settlement) -> None:
        """Hand over a job that has ended; its slot is free when the database has said so."""
        with self._changed:
            if not self._ended:
                self._since = clock.monotonic()
            self._ended.append(settlement)
            if len(self._ended) in (1, LARGEST) or self._complete():
                self._changed.notify()

    def close(self) -> None:
        """Settle what is left and stop."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next():
            self._settle(batch)

    def _next(self) -> list[Settlement]:
        """The next batch; none when closing and all is settled."""
        with self._changed:
            while not self._due():
                self._changed.wait(self._patience())
            batch, self._ended = self._ended[:LARGEST], self._ended[LARGEST:]
            return batch

    def _due(self) -> bool:
        if not self._ended:
            return self._closing
        return self._complete() or clock.monotonic() - self._since >= LINGER_SECONDS

    def _complete(self) -> bool:
        """Whether waiting longer would add nothing worth waiting for."""
        return self._closing or len(self._ended) >= min(LARGEST, self._in_hand())

    def _patience(self) -> float | None:
        return max(0.0, self._since + LINGER_SECONDS - clock.monotonic()) if self._ended else None

    def _settle(self, batch: Sequence[Settlement]) -> None:
        """Keep trying while the leases last: a restarting database must not turn an end into a failure."""
        pause = _PAUSE
        while True:
            try:
                return self._settle_now(batch)
            except Unavailable as error:
                log.warn("not_settled_yet", jobs=len(batch), error=str(error).strip())
            if self._lost.wait(pause):
                return self._free(batch)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _settle_now(self, batch: Sequence[Settlement]) -> None:
        try:
            with self._db.transaction() as conn:
                settle_together(conn, batch)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 (an effect is a handler's code; it must not sink the others)
            if len(batch) == 1:
                return self._put_off(batch[0], error)
            log.warn("settled_one_by_one", jobs=len(batch), error=f"{type(error).__name__}: {error}".strip())
            for settlement in batch:
                self._settle([settlement])
            return None
        return self._free(batch)

    def _free(self, batch: Sequence[Settlement]) -> None:
        # Together: a worker woken by the first would claim for one free slot, not for a hundred.
        self._on_settled([settlement.lease for settlement in batch])

    def _put_off(self, settlement: Settlement, error: Exception) -> None:
        """What cannot be settled as it ended is settled as a failure of ours, sooner or later."""
        log.fail("job_not_settled", error, job=settlement.lease.job_id)
        if self._lost.is_set():
            return self._free([settlement])
        if settlement.failure is None:
            failure = Retry("internal", f"Could not be settled: {type(error).__name__}: {error}")
            return self.add(Settlement(settlement.lease, failure=failure, seconds=settlement.seconds))
        later = threading.Timer(_PAUSE, self.add, (settlement,))
        later.daemon = True
        return later.start()


def settle_together(conn: Connection, batch: Sequence[Settlement]) -> None:
    """Settle a batch in the caller's transaction; effects are written for accepted jobs alone."""
    done = [one for one in batch if one.finished is not None]
    accepted = queue.settle(conn, [Done(one.lease) for one in done])
    for one in done:
        if one.lease.job_id not in accepted:
            steps.refuse(conn, one.lease)
        elif one.finished is not None and one.finished.effect is not None:
            one.finished.effect(conn)
    for one in batch:
        if one.failure is not None:
            steps.fail(conn, one.lease, one.failure, one.seconds)
