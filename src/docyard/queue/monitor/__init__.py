"""Monitoring of the queue: counters, samples, status, alarms and advice for operators."""

from docyard.queue.monitor.advice import Advice, advise, advise_on_blocker, describe_blocker
from docyard.queue.monitor.alarms import count_dead_rows, describe_vacuum_blockers
from docyard.queue.monitor.blockers import Blocker, find_blockers
from docyard.queue.monitor.overview import Overview, collect_overview
from docyard.queue.monitor.sampler import count_backlog, prune_samples, take_sample
from docyard.queue.monitor.samples import (
    HISTOGRAM_BOUNDS,
    EndedCounts,
    QueueDepth,
    Sample,
    VacuumBlocker,
    find_samples_since,
    get_latest_sample,
)
from docyard.queue.monitor.stalls import StalledPool
from docyard.queue.monitor.status import (
    FailedDocument,
    LimitedWorkspace,
    PoolStatus,
    StuckDocument,
    TierStatus,
    WorkerStatus,
    count_documents,
    count_documents_waiting_for_retry,
    count_worker_states,
    find_failed_documents,
    find_stuck_documents,
    list_pools,
    list_tiers,
    list_workers,
)
from docyard.queue.monitor.success import SUCCESS_AGES, SuccessMeasures, get_success, measure_success
from docyard.queue.monitor.tallies import FAILURE_EVENTS, EventTotal, fold_tallies, load_totals, subtract_totals

__all__ = [
    "FAILURE_EVENTS",
    "HISTOGRAM_BOUNDS",
    "SUCCESS_AGES",
    "Advice",
    "Blocker",
    "EndedCounts",
    "EventTotal",
    "FailedDocument",
    "LimitedWorkspace",
    "Overview",
    "PoolStatus",
    "QueueDepth",
    "Sample",
    "StalledPool",
    "StuckDocument",
    "SuccessMeasures",
    "TierStatus",
    "VacuumBlocker",
    "WorkerStatus",
    "advise",
    "advise_on_blocker",
    "collect_overview",
    "count_backlog",
    "count_dead_rows",
    "count_documents",
    "count_documents_waiting_for_retry",
    "count_worker_states",
    "describe_blocker",
    "describe_vacuum_blockers",
    "find_blockers",
    "find_failed_documents",
    "find_samples_since",
    "find_stuck_documents",
    "fold_tallies",
    "get_latest_sample",
    "get_success",
    "list_pools",
    "list_tiers",
    "list_workers",
    "load_totals",
    "measure_success",
    "prune_samples",
    "subtract_totals",
    "take_sample",
]
