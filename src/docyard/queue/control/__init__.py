"""Controls of the queue: pools, pauses, limits, circuit breakers, retry budgets and upkeep duties."""

from docyard.queue.control.breaker import close_breaker
from docyard.queue.control.budgets import drop_idle_budgets
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

__all__ = [
    "DEFAULT_PERIOD_MINUTES",
    "DEFAULT_RETRIES",
    "PAUSABLE_KINDS",
    "ChangedPool",
    "DutyStatus",
    "NewPool",
    "PoolChanges",
    "begin_duty",
    "close_breaker",
    "create_pool",
    "drop_idle_budgets",
    "end_duty",
    "ensure_pools",
    "fail_duty",
    "find_pools",
    "get_duty_ages",
    "get_pool_resources",
    "limit_pool",
    "limit_retries",
    "limit_workspace",
    "list_duties",
    "pause",
    "resume",
]
