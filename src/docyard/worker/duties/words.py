"""The duty that updates the word counts for ranking and deletes the passages of deleted documents."""

from __future__ import annotations

from collections.abc import Callable

from docyard import clock
from docyard.db import Connection
from docyard.store.word_counts import delete_deleted_passages, fold_text_changes
from docyard.worker.duties.duty import Duty, DutyContext

_MAX_SECONDS = 3.0  # the worker claims nothing meanwhile; remaining work is done in the next run
_BATCH_SIZE = 50


def _update_counts(context: DutyContext) -> str | None:
    deadline = clock.monotonic() + _MAX_SECONDS
    deleted = _run_batches(context, delete_deleted_passages, 1, deadline)
    folded = _run_batches(context, fold_text_changes, _BATCH_SIZE, deadline)
    messages = [f"Text changes added to the word counts: {folded}"] if folded else []
    messages += [f"Deleted documents removed from search: {deleted}"] if deleted else []
    return "; ".join(messages) or None


def _run_batches(context: DutyContext, act: Callable[[Connection, int], int], batch_size: int, deadline: float) -> int:
    done = 0
    while True:
        # One transaction per batch: a longer one would keep the counts of many words locked.
        with context.pipeline.db.transaction() as conn:
            taken = act(conn, batch_size)
        done += taken
        if taken < batch_size or clock.monotonic() > deadline:
            return done


DUTY = Duty("words", 5.0, _update_counts)
