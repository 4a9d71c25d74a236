"""Stalls: pools whose jobs are pending and could run, but of which none is started."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docyard.queue.monitor.samples import Sample
from docyard.queue.monitor.status import PoolStatus, WorkerStatus
from docyard.queue.monitor.tallies import EventTotal, subtract_totals

STALL_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class StalledPool:
    """A pool with its pending jobs, and the seconds in which none of them was started."""

    name: str
    pending: int
    seconds: float


def find_stalled_pools(
    now: Sequence[EventTotal],
    latest: Sample | None,
    earlier: Sample | None,
    pools: Iterable[PoolStatus],
    workers: Sequence[WorkerStatus],
) -> list[StalledPool]:
    """Return pools that had claimable jobs in both samples, but no claim since the earlier one."""
    if latest is None or earlier is None or earlier.age < STALL_SECONDS:
        return []
    before, after = _count_claimable(earlier), _count_claimable(latest)
    claimed = {t.pool for t in subtract_totals(now, earlier.totals) if t.event == "claimed" and t.jobs}
    return [
        StalledPool(pool.name, after[pool.name], earlier.age)
        for pool in pools
        if before[pool.name] and after[pool.name] and pool.name not in claimed and _could_start(pool, workers)
    ]


def _count_claimable(sample: Sample) -> Counter[str]:
    counts: Counter[str] = Counter()
    for line in sample.depth:
        counts[line.pool] += line.claimable
    return counts


def _could_start(pool: PoolStatus, workers: Sequence[WorkerStatus]) -> bool:
    """Return whether limits and breaker admit another job of the pool, and a worker has a slot for it."""
    is_full = pool.max_running is not None and pool.running >= pool.max_running
    is_slow = pool.rate_per_second is not None and pool.rate_per_second * STALL_SECONDS < 1
    is_held = pool.paused or pool.breaker != "closed" or is_full or is_slow
    return not is_held and any(w.is_alive and pool.name in w.pools and w.running < w.slots for w in workers)
