"""The durable, fair queue: enqueue, claim, settle, and what keeps it healthy."""

from docyard.queue.advice import Advice, advise
from docyard.queue.alarms import dead_rows, held_xmin
from docyard.queue.board import (
    Board,
    PoolLine,
    TierLine,
    WorkerLine,
    board,
    failed_lines,
    pool_lines,
    stuck_lines,
)
from docyard.queue.breaker import close_breaker
from docyard.queue.budgets import drop_idle_budgets
from docyard.queue.cancel import cancel_document, cancel_jobs, document_of_road, lock_document
from docyard.queue.children import live_children, overdue_parents, wait_for_children, wake_orphans
from docyard.queue.claim import claim, pools_with_work
from docyard.queue.condition import (
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
from docyard.queue.controls import (
    KINDS,
    PERIOD_MINUTES,
    RETRIES,
    limit_pool,
    limit_retries,
    limit_workspace,
    pause,
    resume,
)
from docyard.queue.dead import (
    Cause,
    dead_cause,
    dead_causes,
    dead_letter,
    dead_letters,
    discard,
    letters_of_document,
    replay,
)
from docyard.queue.duties import DutyLine, begin_duty, duty_ages, duty_lines, end_duty, fail_duty
from docyard.queue.enqueue import NOTICE_EVERY, enqueue, find_live, payload_of
from docyard.queue.entities import entity_of
from docyard.queue.history import ensure_partitions, prune_history
from docyard.queue.overview import Overview, PoolView, TierView, overview
from docyard.queue.passing import pass_by
from docyard.queue.pools import create_pool, pool_resources
from docyard.queue.promote import promote_due
from docyard.queue.reap import BATCH as REAP_BATCH
from docyard.queue.reap import Reaped, reap
from docyard.queue.reset import requeue_document, resettable_documents
from docyard.queue.samples import BOUNDS, Depth, Ended, Holder, Sample, latest_sample, samples_since
from docyard.queue.sampling import prune_samples, take_sample
from docyard.queue.settle import advance, prolong, settle, still_held
from docyard.queue.success import SUCCESS_AGES, Success, measure_success, success
from docyard.queue.tallies import FAILED, Total, fold_tallies, gained, totals
from docyard.queue.workers import (
    count_rejected,
    forget_workers,
    give_back,
    heartbeat,
    held_jobs,
    leave,
    register,
    serve_pools,
    start_draining,
)

__all__ = [
    "BOUNDS",
    "FAILED",
    "KINDS",
    "NOTICE_EVERY",
    "PERIOD_MINUTES",
    "REAP_BATCH",
    "RETRIES",
    "SUCCESS_AGES",
    "Advice",
    "Board",
    "Cause",
    "Depth",
    "DutyLine",
    "Ended",
    "HeldWorkspace",
    "Holder",
    "Overview",
    "PoolLine",
    "PoolRule",
    "PoolView",
    "Reaped",
    "Sample",
    "Success",
    "TierLine",
    "TierRule",
    "TierView",
    "Total",
    "WorkerLine",
    "advance",
    "advise",
    "begin_duty",
    "board",
    "cancel_document",
    "cancel_jobs",
    "claim",
    "close_breaker",
    "count_rejected",
    "create_pool",
    "dead_cause",
    "dead_causes",
    "dead_letter",
    "dead_letters",
    "dead_rows",
    "discard",
    "document_of_road",
    "drop_idle_budgets",
    "duty_ages",
    "duty_lines",
    "end_duty",
    "enqueue",
    "ensure_partitions",
    "entity_of",
    "fail_duty",
    "failed_lines",
    "find_live",
    "fold_tallies",
    "forget_workers",
    "gained",
    "give_back",
    "heartbeat",
    "held_jobs",
    "held_workspaces",
    "held_xmin",
    "latest_sample",
    "leave",
    "letters_of_document",
    "limit_pool",
    "limit_retries",
    "limit_workspace",
    "live_children",
    "lock_document",
    "measure_success",
    "overdue_parents",
    "overview",
    "pass_by",
    "pause",
    "payload_of",
    "pool_lines",
    "pool_resources",
    "pool_rules",
    "pools_with_work",
    "prolong",
    "promote_due",
    "prune_history",
    "prune_samples",
    "reap",
    "register",
    "replay",
    "requeue_document",
    "resettable_documents",
    "resume",
    "running_jobs",
    "samples_since",
    "serve_pools",
    "settle",
    "start_draining",
    "still_held",
    "stuck_lines",
    "success",
    "take_sample",
    "tier_rules",
    "totals",
    "wait_for_children",
    "wake_orphans",
    "work_waits",
    "worker_states",
]
