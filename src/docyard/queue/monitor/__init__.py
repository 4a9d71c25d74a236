"""What an operator sees of the queue: counts, rates, workers, trouble and advice."""

from docyard.queue.monitor.advice import Advice, advise
from docyard.queue.monitor.alarms import dead_rows, held_xmin
from docyard.queue.monitor.board import (
    Board,
    PoolLine,
    TierLine,
    WorkerLine,
    board,
    failed_lines,
    pool_lines,
    stuck_lines,
)
from docyard.queue.monitor.condition import (
    HeldWorkspace,
    PoolRule,
    TierRule,
    held_workspaces,
    pool_rules,
    running_jobs,
    tier_rules,
    work_waits,
    worker_states,
)
from docyard.queue.monitor.overview import Overview, PoolView, TierView, overview
from docyard.queue.monitor.sampler import prune_samples, take_sample
from docyard.queue.monitor.samples import BOUNDS, Depth, Ended, Holder, Sample, latest_sample, samples_since
from docyard.queue.monitor.success import SUCCESS_AGES, Success, measure_success, success
from docyard.queue.monitor.tallies import FAILED, Total, fold_tallies, gained, totals

__all__ = [
    "BOUNDS",
    "FAILED",
    "SUCCESS_AGES",
    "Advice",
    "Board",
    "Depth",
    "Ended",
    "HeldWorkspace",
    "Holder",
    "Overview",
    "PoolLine",
    "PoolRule",
    "PoolView",
    "Sample",
    "Success",
    "TierLine",
    "TierRule",
    "TierView",
    "Total",
    "WorkerLine",
    "advise",
    "board",
    "dead_rows",
    "failed_lines",
    "fold_tallies",
    "gained",
    "held_workspaces",
    "held_xmin",
    "latest_sample",
    "measure_success",
    "overview",
    "pool_lines",
    "pool_rules",
    "prune_samples",
    "running_jobs",
    "samples_since",
    "stuck_lines",
    "success",
    "take_sample",
    "tier_rules",
    "totals",
    "work_waits",
    "worker_states",
]
