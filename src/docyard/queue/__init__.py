"""A durable queue with fair scheduling; `control` holds its limits and `monitor` its counters."""

from docyard.queue.jobs.cancellation import (
    LiveJob,
    cancel_document,
    cancel_documents,
    cancel_jobs,
    live_jobs,
    lock_document,
    lock_documents,
)
from docyard.queue.jobs.children import live_children, overdue_parents, wait_for_children, wake_orphans
from docyard.queue.jobs.claims import claim, pools_with_work
from docyard.queue.jobs.dead_letters import (
    Cause,
    dead_cause,
    dead_causes,
    dead_letter,
    dead_letter_ids,
    dead_letters,
    discard,
    letters_by_id,
    letters_of_document,
    replay,
)
from docyard.queue.jobs.external_entity import entity_of
from docyard.queue.jobs.history import ensure_partitions, prune_history
from docyard.queue.jobs.insertion import NOTICE_EVERY, enqueue, find_live, live_by_key
from docyard.queue.jobs.llm_fallback import leave_pool, pass_by
from docyard.queue.jobs.promotion import promote_due
from docyard.queue.jobs.reaper import BATCH as REAP_BATCH
from docyard.queue.jobs.reaper import Reaped, reap
from docyard.queue.jobs.resets import requeue_document, resettable_documents
from docyard.queue.jobs.settlement import advance, enter, move, prolong, settle, still_held
from docyard.queue.jobs.workers import (
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
    "NOTICE_EVERY",
    "REAP_BATCH",
    "Cause",
    "LiveJob",
    "Reaped",
    "advance",
    "cancel_document",
    "cancel_documents",
    "cancel_jobs",
    "claim",
    "count_rejected",
    "dead_cause",
    "dead_causes",
    "dead_letter",
    "dead_letter_ids",
    "dead_letters",
    "discard",
    "enqueue",
    "ensure_partitions",
    "enter",
    "entity_of",
    "find_live",
    "forget_workers",
    "give_back",
    "heartbeat",
    "held_jobs",
    "leave",
    "leave_pool",
    "letters_by_id",
    "letters_of_document",
    "live_by_key",
    "live_children",
    "live_jobs",
    "lock_document",
    "lock_documents",
    "move",
    "overdue_parents",
    "pass_by",
    "pools_with_work",
    "prolong",
    "promote_due",
    "prune_history",
    "reap",
    "register",
    "replay",
    "requeue_document",
    "resettable_documents",
    "serve_pools",
    "settle",
    "start_draining",
    "still_held",
    "wait_for_children",
    "wake_orphans",
]
