"""Controls of the queue: pools, pauses, limits, circuit breakers, retry budgets and upkeep duties."""

from docyard.queue.control.breaker import close_breaker
from docyard.queue.control.budgets import drop_idle_budgets
from docyard.queue.control.duties import DutyLine, begin_duty, duty_ages, duty_lines, end_duty, fail_duty
from docyard.queue.control.limits import (
    KINDS,
    PERIOD_MINUTES,
    RETRIES,
    limit_pool,
    limit_retries,
    limit_workspace,
    pause,
    resume,
)
from docyard.queue.control.pools import (
    NewPool,
    PoolChanges,
    RenewedPool,
    create_pool,
    ensure_pools,
    pool_resources,
    registered_pools,
)

__all__ = [
    "KINDS",
    "PERIOD_MINUTES",
    "RETRIES",
    "DutyLine",
    "NewPool",
    "PoolChanges",
    "RenewedPool",
    "begin_duty",
    "close_breaker",
    "create_pool",
    "drop_idle_budgets",
    "duty_ages",
    "duty_lines",
    "end_duty",
    "ensure_pools",
    "fail_duty",
    "limit_pool",
    "limit_retries",
    "limit_workspace",
    "pause",
    "pool_resources",
    "registered_pools",
    "resume",
]
