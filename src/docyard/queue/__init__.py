"""The durable, fair queue: enqueue, claim, settle, and what keeps it healthy."""

from docyard.queue.board import (
    Board,
    TierLine,
    WorkerLine,
    board,
    failed_lines,
    pool_lines,
    stuck_lines,
)
from docyard.queue.breaker import close_breaker
from docyard.queue.cancel import cancel_document, cancel_jobs
from docyard.queue.children import overdue_parents, wait_for_children, wake_orphans
from docyard.queue.claim import claim, pools_with_work
from docyard.queue.controls import KINDS, limit_pool, limit_workspace, pause, resume
from docyard.queue.dead import (
    Cause,
    dead_causes,
    dead_letter,
    dead_letters,
    discard,
    letters_of_document,
    replay,
)
from docyard.queue.enqueue import NOTICE_EVERY, enqueue, find_live
from docyard.queue.history import ensure_partitions, prune_history
from docyard.queue.pools import pool_resources
from docyard.queue.promote import promote_due
from docyard.queue.reap import BATCH as REAP_BATCH
from docyard.queue.reap import Reaped, reap
from docyard.queue.settle import advance, settle, still_held
from docyard.queue.workers import (
    count_rejected,
    forget_workers,
    give_back,
    heartbeat,
    leave,
    register,
    start_draining,
)

__all__ = [
    "KINDS",
    "NOTICE_EVERY",
    "REAP_BATCH",
    "Board",
    "Cause",
    "Reaped",
    "TierLine",
    "WorkerLine",
    "advance",
    "board",
    "cancel_document",
    "cancel_jobs",
    "claim",
    "close_breaker",
    "count_rejected",
    "dead_causes",
    "dead_letter",
    "dead_letters",
    "discard",
    "enqueue",
    "ensure_partitions",
    "failed_lines",
    "find_live",
    "forget_workers",
    "give_back",
    "heartbeat",
    "leave",
    "letters_of_document",
    "limit_pool",
    "limit_workspace",
    "overdue_parents",
    "pause",
    "pool_lines",
    "pool_resources",
    "pools_with_work",
    "promote_due",
    "prune_history",
    "reap",
    "register",
    "replay",
    "resume",
    "settle",
    "start_draining",
    "still_held",
    "stuck_lines",
    "wait_for_children",
    "wake_orphans",
]
