"""What saving documents changed in the counts of words is added up, for the weights of words in a search."""

from __future__ import annotations

from docyard import clock
from docyard.store.words import fold_text_changes
from docyard.worker.duties.duty import Chore, Duty

_LONGEST_SECONDS = 3.0  # claiming waits for us; what is left is done the next time
_BATCH = 50


def _fold(chore: Chore) -> str | None:
    until = clock.monotonic() + _LONGEST_SECONDS
    folded = 0
    while True:
        # Each batch by itself: one transaction over all of them would hold every word until its end.
        with chore.pipeline.db.transaction() as conn:
            taken = fold_text_changes(conn, _BATCH)
        folded += taken
        if taken < _BATCH or clock.monotonic() > until:
            return f"the words of {folded} changes counted" if folded else None


DUTY = Duty("words", 5.0, _fold)
