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
    """Return pools without a claim since the earlier sample, although jobs have been claimable for as long."""
    if latest is None or earlier is None or earlier.age < STALL_SECONDS:
        return []
    before, after = _count_claimable(earlier), _count_claimable(latest)
    before.update(line.pool for line in latest.depth if (line.oldest or 0.0) + latest.age > STALL_SECONDS)
    claimed = _find_claimed_pools(now, earlier)
    return [
        StalledPool(pool.name, after[pool.name], earlier.age)
        for pool in pools
        if before[pool.name] and after[pool.name] and pool.name not in claimed and _could_start(pool, workers)
    ]


def measure_silence(now: Sequence[EventTotal], latest: Sample | None) -> float:
    """Return the seconds in which the backlog was not counted and no job was claimed."""
    return 0.0 if latest is None or _find_claimed_pools(now, latest) else latest.age


def _find_claimed_pools(now: Sequence[EventTotal], before: Sample) -> set[str]:
    return {total.pool for total in subtract_totals(now, before.totals) if total.event == "claimed" and total.jobs}


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
