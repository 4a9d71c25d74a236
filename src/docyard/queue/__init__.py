"""A durable queue with fair scheduling; `control` holds its limits and `monitor` its counters."""

from docyard.queue.jobs.cancellation import (
    LiveJob,
    cancel_document,
    cancel_documents,
    cancel_jobs,
    find_live_jobs,
    lock_document,
    lock_documents,
)
from docyard.queue.jobs.children import count_live_children, take_over_overdue_parents, wait_for_children, wake_orphans
from docyard.queue.jobs.claims import claim, find_pools_with_jobs
from docyard.queue.jobs.dead_letters import (
    FailureCause,
    discard,
    discard_superseded,
    find_causes,
    find_dead_letter_ids,
    find_dead_letters,
    find_letters_of_document,
    get_cause,
    get_dead_letter,
    get_dead_letters,
    replay,
)
from docyard.queue.jobs.external_entity import get_external_entity
from docyard.queue.jobs.history import ensure_partitions, prune_history, return_detached_rows
from docyard.queue.jobs.insertion import NOTIFY_INTERVAL_SECONDS, enqueue, find_by_dedupe_key, find_by_dedupe_keys
from docyard.queue.jobs.llm_fallback import move_waiting_jobs, skip_unavailable_llm
from docyard.queue.jobs.parked_jobs import park_unfetchable
from docyard.queue.jobs.promotion import promote_due
from docyard.queue.jobs.reaper import BATCH_SIZE as REAP_BATCH_SIZE
from docyard.queue.jobs.reaper import ReapedJob, reap
from docyard.queue.jobs.resets import (
    ResetCounts,
    find_resettable_documents,
    is_pending,
    requeue_document,
    reset_failed_documents,
    take_from_holder,
)
from docyard.queue.jobs.settlement import (
    advance,
    extend_deadline,
    lock_free_lease,
    lock_lease,
    move,
    set_stage,
    settle,
)
from docyard.queue.jobs.workers import (
    count_rejected,
    delete_old_workers,
    find_leased_jobs,
    heartbeat,
    keep_heartbeat,
    register,
    release_leases,
    set_pools,
    start_draining,
    stop_worker,
)

__all__ = [
    "NOTIFY_INTERVAL_SECONDS",
    "REAP_BATCH_SIZE",
    "FailureCause",
    "LiveJob",
    "ReapedJob",
    "ResetCounts",
    "advance",
    "cancel_document",
    "cancel_documents",
    "cancel_jobs",
    "claim",
    "count_live_children",
    "count_rejected",
    "delete_old_workers",
    "discard",
    "discard_superseded",
    "enqueue",
    "ensure_partitions",
    "extend_deadline",
    "find_by_dedupe_key",
    "find_by_dedupe_keys",
    "find_causes",
    "find_dead_letter_ids",
    "find_dead_letters",
    "find_leased_jobs",
    "find_letters_of_document",
    "find_live_jobs",
    "find_pools_with_jobs",
    "find_resettable_documents",
    "get_cause",
    "get_dead_letter",
    "get_dead_letters",
    "get_external_entity",
    "heartbeat",
    "is_pending",
    "keep_heartbeat",
    "lock_document",
    "lock_documents",
    "lock_free_lease",
    "lock_lease",
    "move",
    "move_waiting_jobs",
    "park_unfetchable",
    "promote_due",
    "prune_history",
    "reap",
    "register",
    "release_leases",
    "replay",
    "requeue_document",
    "reset_failed_documents",
    "return_detached_rows",
    "set_pools",
    "set_stage",
    "settle",
    "skip_unavailable_llm",
    "start_draining",
    "stop_worker",
    "take_from_holder",
    "take_over_overdue_parents",
    "wait_for_children",
    "wake_orphans",
]
