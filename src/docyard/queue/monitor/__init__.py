"""Monitoring of the queue: counters, samples, status, alarms and advice for operators."""

from docyard.queue.monitor.advice import Advice, advise
from docyard.queue.monitor.alarms import dead_rows, held_xmin
from docyard.queue.monitor.overview import Overview, overview
from docyard.queue.monitor.sampler import count_now, prune_samples, take_sample
from docyard.queue.monitor.samples import BOUNDS, Depth, Ended, Holder, Sample, latest_sample, samples_since
from docyard.queue.monitor.status import (
    FailedDocument,
    HeldWorkspace,
    PoolStatus,
    StuckDocument,
    TierStatus,
    WorkerStatus,
    failed_documents,
    pools,
    stuck_documents,
    tiers,
    worker_states,
    workers,
)
from docyard.queue.monitor.success import SUCCESS_AGES, Success, measure_success, success
from docyard.queue.monitor.tallies import FAILED, Total, fold_tallies, gained, totals

__all__ = [
    "BOUNDS",
    "FAILED",
    "SUCCESS_AGES",
    "Advice",
    "Depth",
    "Ended",
    "FailedDocument",
    "HeldWorkspace",
    "Holder",
    "Overview",
    "PoolStatus",
    "Sample",
    "StuckDocument",
    "Success",
    "TierStatus",
    "Total",
    "WorkerStatus",
    "advise",
    "count_now",
    "dead_rows",
    "failed_documents",
    "fold_tallies",
    "gained",
    "held_xmin",
    "latest_sample",
    "measure_success",
    "overview",
    "pools",
    "prune_samples",
    "samples_since",
    "stuck_documents",
    "success",
    "take_sample",
    "tiers",
    "totals",
    "worker_states",
    "workers",
]
