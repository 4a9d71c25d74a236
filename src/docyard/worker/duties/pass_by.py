"""Documents that wait for a model whose breaker is open go on without it, after as long as they may wait."""

from __future__ import annotations

from docyard import queue
from docyard.model.timeouts import CLASSIFICATION_WAIT
from docyard.pipeline.road import ENTRY
from docyard.worker.duties.duty import Chore, Duty

_MOST = 1000


def _pass_by(chore: Chore) -> str | None:
    moved = queue.pass_by(chore.conn, pool=ENTRY.name, longest=CLASSIFICATION_WAIT, most=_MOST)
    return f"{moved} documents go on without a model" if moved else None


DUTY = Duty("pass_by", 15.0, _pass_by)
