"""Controls of the queue: pools, pauses, limits, circuit breakers, retry budgets and upkeep duties."""

from docyard.queue.control.breaker import close_breaker
from docyard.queue.control.budgets import drop_idle_budgets
from docyard.queue.control.clock_steps import (
    ClockReading,
    ClockStep,
    NoticedStep,
    find_newest_heartbeat,
    find_step,
    find_step_before,
    get_latest_step,
    is_refuted,
    lock_clock,
    note_reading,
    prune_steps,
    read_clock,
)
from docyard.queue.control.duties import DutyStatus, begin_duty, end_duty, fail_duty, get_duty_ages, list_duties
from docyard.queue.control.limits import (
    DEFAULT_PERIOD_MINUTES,
    DEFAULT_RETRIES,
    PAUSABLE_KINDS,
    limit_pool,
    limit_retries,
    limit_workspace,
    pause,
    resume,
)
from docyard.queue.control.pools import (
    ChangedPool,
    NewPool,
    PoolChanges,
    create_pool,
    ensure_pools,
    find_pools,
    get_pool_resources,
)
from docyard.queue.control.shifts import begin_shift, continue_shifts

__all__ = [
    "DEFAULT_PERIOD_MINUTES",
    "DEFAULT_RETRIES",
    "PAUSABLE_KINDS",
    "ChangedPool",
    "ClockReading",
    "ClockStep",
    "DutyStatus",
    "NewPool",
    "NoticedStep",
    "PoolChanges",
    "begin_duty",
    "begin_shift",
    "close_breaker",
    "continue_shifts",
    "create_pool",
    "drop_idle_budgets",
    "end_duty",
    "ensure_pools",
    "fail_duty",
    "find_newest_heartbeat",
    "find_pools",
    "find_step",
    "find_step_before",
    "get_duty_ages",
    "get_latest_step",
    "get_pool_resources",
    "is_refuted",
    "limit_pool",
    "limit_retries",
    "limit_workspace",
    "list_duties",
    "lock_clock",
    "note_reading",
    "pause",
    "prune_steps",
    "read_clock",
    "resume",
]
