"""The duties of upkeep in the order in which they run; a new duty is one file and one entry here."""

from __future__ import annotations

from docyard.worker.duties import (
    alarms,
    budgets,
    embeddings,
    merges,
    parents,
    partitions,
    pass_by,
    promote,
    prune,
    reap,
    reset_failed,
    sample,
    tags,
    tallies,
    words,
)
from docyard.worker.duties.duty import Duty, DutyContext

# Duties that documents wait for come first.
DUTIES: tuple[Duty, ...] = (
    promote.DUTY,
    reap.DUTY,
    parents.DUTY,
    pass_by.DUTY,
    alarms.DUTY,
    tallies.DUTY,
    words.DUTY,
    sample.DUTY,
    reset_failed.DUTY,
    partitions.DUTY,
    prune.DUTY,
    budgets.DUTY,
    embeddings.DUTY,
    merges.DUTY,
    tags.DUTY,
)

__all__ = ["DUTIES", "Duty", "DutyContext"]
