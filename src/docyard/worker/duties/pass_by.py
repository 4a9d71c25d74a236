"""The duty that lets documents skip an unavailable LLM after a bounded wait."""

from __future__ import annotations

from docyard import queue
from docyard.model.timeouts import CLASSIFICATION_WAIT
from docyard.pipeline.stage_order import ENTRY_STAGE
from docyard.worker.duties.duty import Duty, DutyContext

_MAX_DOCUMENTS = 1000  # per run


def _skip_llm(context: DutyContext) -> str | None:
    moved = queue.skip_unavailable_llm(
        context.conn, pool=ENTRY_STAGE.name, longest=CLASSIFICATION_WAIT, limit=_MAX_DOCUMENTS
    )
    return f"Documents that skip an unavailable AI model: {moved}" if moved else None


DUTY = Duty("pass_by", 15.0, _skip_llm)
