"""The contest: all metrics of all contestants, measured alternately in several rounds."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import measure
from bench.contestant import Contestant, ContestantError, Entry
from bench.entries import BARE, ENTRIES
from bench.envs import PeerUnavailable, peer_python
from bench.results import BULK, BURN, FIRST, PICKUP, RECOVERY, SINGLE, Metric, Results
from bench.servers import Postgres, redis


@dataclass(frozen=True)
class Plan:
    """The number of rounds and the sizes of a run."""

    rounds: int
    share: float  # share of the entry's jobs that a burn-down runs
    pickup_rounds: int
    backlogs: tuple[int, ...]
    max_common_backlog: int  # larger backlogs are measured only for fast contestants
    recoveries: int


FULL = Plan(3, 1.0, 2, (1_000, 100_000, 1_000_000), 100_000, 1)
QUICK = Plan(3, 0.25, 2, (1_000, 100_000), 1_000, 1)
_SAMPLES = 100
_FAST = {"Docyard", "bare limit", "PgQueuer asyncpg"}


@contextmanager
def start_contestants(postgres: Postgres, results: Results, only: set[str]) -> Iterator[list[Contestant]]:
    """Start and yield the contestants that can run; record why the others are skipped."""
    with ExitStack() as stack:
        started = []
        redis_url: str | None = None
        for number, entry in enumerate(entry for entry in ENTRIES if not only or entry.name in only):
            try:
                if entry.on_redis and redis_url is None:
                    redis_url = stack.enter_context(redis())
                started.append(_start(entry, postgres, f"{redis_url}/{number}"))
            except (PeerUnavailable, ContestantError) as reason:
                results.skipped[entry.name] = str(reason)
                print(f"{entry.name} is skipped: {reason}", flush=True)
            else:
                stack.callback(started[-1].client.close)
                results.contestants.append(entry.name)
        yield started


def _start(entry: Entry, postgres: Postgres, redis_url: str) -> Contestant:
    python = peer_python(entry.environment) if entry.environment else Path(sys.executable)
    if entry.on_redis:
        return Contestant(entry, python, redis_url, lambda: None)
    url = postgres.create(entry.database)
    return Contestant(entry, python, url, lambda: postgres.vacuum(entry.database))


def run_contest(plan: Plan, contestants: list[Contestant], results: Results) -> None:
    """Measure all metrics of all contestants and add them to the results."""
    for number in range(plan.rounds):
        _log(f"Enqueue and burn-down, round {number + 1} of {plan.rounds}")
        _measure_throughput(plan, contestants, results)
    # The bare loop polls and does not recover jobs, so pickup and recovery are not measured for it.
    queues = [one for one in contestants if one.entry != BARE]
    for number in range(plan.pickup_rounds):
        _log(f"Pickup, round {number + 1} of {plan.pickup_rounds}")
        for one in queues:
            _measure_pickup(one, results)
    for number in range(plan.recoveries):
        _log(f"Recovery, round {number + 1} of {plan.recoveries}")
        # Recovery is mostly waiting, so all contestants are measured in parallel.
        with ThreadPoolExecutor(len(queues)) as pool:
            list(pool.map(lambda one: _measure_recovery(one, results), queues))
    for pending in plan.backlogs:
        _log(f"First 2,000 jobs with {pending:,} more pending")
        for one in contestants:
            if _can_fill(one.entry, pending, plan):
                _measure(results, FIRST[pending], one, measure.first_jobs, pending, 3)
            else:
                results.remarks[FIRST[pending], one.entry.name] = "not measured"


def _can_fill(entry: Entry, pending: int, plan: Plan) -> bool:
    """Return whether a contestant can fill this backlog in reasonable time."""
    limit = plan.max_common_backlog if entry.bulk else min(plan.backlogs)
    return entry.name in _FAST or pending <= limit


def _measure_throughput(plan: Plan, contestants: list[Contestant], results: Results) -> None:
    for one in contestants:
        _measure(results, SINGLE, one, measure.enqueue_single, 500)
    for one in contestants:
        if one.entry.bulk:
            _measure(results, BULK, one, measure.enqueue_bulk, 5)
        else:
            results.remarks[BULK, one.entry.name] = "no such call"
    for processes, metric in BURN.items():
        for one in contestants:
            _measure(results, metric, one, measure.burn_down, processes, int(one.entry.jobs * plan.share))


def _measure_pickup(one: Contestant, results: Results) -> None:
    samples = _try_measure(results, PICKUP[50], one, measure.pickups, _SAMPLES)
    if samples:
        cuts = statistics.quantiles(samples, n=100, method="inclusive")
        for percent, metric in PICKUP.items():
            results.add(metric, one.entry.name, [cuts[percent - 1]])


def _measure_recovery(one: Contestant, results: Results) -> None:
    _measure(results, RECOVERY, one, measure.recovery)
    if not results.figures.get((RECOVERY, one.entry.name)):
        remark = f"not within {measure.MAX_RECOVERY_SECONDS:.0f} s"
        results.remarks.setdefault((RECOVERY, one.entry.name), remark)


def _measure(
    results: Results, metric: Metric, one: Contestant, function: Callable[..., list[float]], *arguments: int
) -> None:
    results.add(metric, one.entry.name, _try_measure(results, metric, one, function, *arguments))


def _try_measure(
    results: Results, metric: Metric, one: Contestant, function: Callable[..., list[float]], *arguments: int
) -> list[float]:
    """Return the figures; if the contestant fails, add a remark and return an empty list."""
    try:
        found = function(one, *arguments)
    except ContestantError as reason:
        results.remarks[metric, one.entry.name] = "failed"
        _log(f"  {one.entry.name}: {metric.title}: {reason}")
        return []
    shown = ", ".join(metric.format(value) for value in found[:5]) or "no result in time"
    _log(f"  {one.entry.name}: {metric.title} ({metric.unit}): {shown}")
    return found


def _log(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)
