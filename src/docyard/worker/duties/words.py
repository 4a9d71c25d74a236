"""What saving and deleting documents changed in the counts of words is added up, for the weights of words."""

from __future__ import annotations

from collections.abc import Callable

from docyard import clock
from docyard.db import Connection
from docyard.store.words import fold_text_changes, forget_deleted
from docyard.worker.duties.duty import Chore, Duty

_LONGEST_SECONDS = 3.0  # claiming waits for us; what is left is done the next time
_BATCH = 50


def _count(chore: Chore) -> str | None:
    until = clock.monotonic() + _LONGEST_SECONDS
    forgotten = _repeated(chore, forget_deleted, 1, until)
    folded = _repeated(chore, fold_text_changes, _BATCH, until)
    said = [f"the words of {folded} changes counted"] if folded else []
    said += [f"the passages of {forgotten} deleted documents dropped"] if forgotten else []
    return "; ".join(said) or None


def _repeated(chore: Chore, act: Callable[[Connection, int], int], batch: int, until: float) -> int:
    done = 0
    while True:
        # Each batch by itself: one transaction over all of them would hold every word until its end.
        with chore.pipeline.db.transaction() as conn:
            taken = act(conn, batch)
        done += taken
        if taken < batch or clock.monotonic() > until:
            return done


DUTY = Duty("words", 5.0, _count)
