"""The contest: every question to every contestant in turn, round after round."""

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
from bench.contestant import Contestant, Entry, Failed
from bench.entries import BARE, ENTRIES
from bench.envs import LeftOut, peer_python
from bench.results import BULK, BURN, FIRST, PICKUP, RECOVERY, SINGLE, Question, Results
from bench.servers import Postgres, redis


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    rounds: int
    share: float  # of the jobs of a burn-down
    pickup_rounds: int
    backlogs: tuple[int, ...]
    everyone_up_to: int  # with a greater backlog only the fast ones are asked
    recoveries: int


FULL = Plan(3, 1.0, 2, (1_000, 100_000, 1_000_000), 100_000, 1)
QUICK = Plan(3, 0.25, 2, (1_000, 100_000), 1_000, 1)
_SAMPLES = 100
_FAST = {"Docyard", "bare limit", "PgQueuer asyncpg"}


@contextmanager
def gathered(postgres: Postgres, results: Results, only: set[str]) -> Iterator[list[Contestant]]:
    """The contestants that can take part, started; the others are left out with the reason."""
    with ExitStack() as stack:
        found = []
        address: str | None = None
        for number, entry in enumerate(entry for entry in ENTRIES if not only or entry.name in only):
            try:
                if entry.on_redis and address is None:
                    address = stack.enter_context(redis())
                found.append(_started(entry, postgres, f"{address}/{number}"))
            except (LeftOut, Failed) as reason:
                results.left_out[entry.name] = str(reason)
                print(f"{entry.name} is left out: {reason}", flush=True)
            else:
                stack.callback(found[-1].client.close)
                results.contestants.append(entry.name)
        yield found


def _started(entry: Entry, postgres: Postgres, redis_url: str) -> Contestant:
    python = peer_python(entry.environment) if entry.environment else Path(sys.executable)
    if entry.on_redis:
        return Contestant(entry, python, redis_url, lambda: None)
    url = postgres.create(entry.database)
    return Contestant(entry, python, url, lambda: postgres.settle_down(entry.database))


def hold(plan: Plan, contestants: list[Contestant], results: Results) -> None:
    """Ask everything."""
    for number in range(plan.rounds):
        _say(f"Enqueue and burn-down, round {number + 1} of {plan.rounds}")
        _speed_round(plan, contestants, results)
    # The bare loop only polls and recovers nothing, so its times would say nothing.
    waiting_ones = [one for one in contestants if one.entry != BARE]
    for number in range(plan.pickup_rounds):
        _say(f"Pickup, round {number + 1} of {plan.pickup_rounds}")
        for one in waiting_ones:
            _pickup_round(one, results)
    for number in range(plan.recoveries):
        _say(f"Recovery, round {number + 1} of {plan.recoveries}")
        # It is a matter of waiting, so they wait together.
        with ThreadPoolExecutor(len(waiting_ones)) as pool:
            list(pool.map(lambda one: _recovery_round(one, results), waiting_ones))
    for waiting in plan.backlogs:
        _say(f"First 2,000 jobs with {waiting:,} more waiting")
        for one in contestants:
            if _is_asked(one.entry, waiting, plan):
                _ask(results, FIRST[waiting], one, measure.first_jobs, waiting, 3)
            else:
                results.remarks[FIRST[waiting], one.entry.name] = "not asked"


def _is_asked(entry: Entry, waiting: int, plan: Plan) -> bool:
    """Whether the backlog can be filled in reasonable time, which takes a call that adds many."""
    most = plan.everyone_up_to if entry.bulk else min(plan.backlogs)
    return entry.name in _FAST or waiting <= most


def _speed_round(plan: Plan, contestants: list[Contestant], results: Results) -> None:
    for one in contestants:
        _ask(results, SINGLE, one, measure.enqueue_single, 500)
    for one in contestants:
        if one.entry.bulk:
            _ask(results, BULK, one, measure.enqueue_bulk, 5)
        else:
            results.remarks[BULK, one.entry.name] = "no such call"
    for processes, question in BURN.items():
        for one in contestants:
            _ask(results, question, one, measure.burn_down, processes, int(one.entry.jobs * plan.share))


def _pickup_round(one: Contestant, results: Results) -> None:
    samples = _asked(results, PICKUP[50], one, measure.pickups, _SAMPLES)
    if samples:
        cuts = statistics.quantiles(samples, n=100, method="inclusive")
        for percent, question in PICKUP.items():
            results.add(question, one.entry.name, [cuts[percent - 1]])


def _recovery_round(one: Contestant, results: Results) -> None:
    _ask(results, RECOVERY, one, measure.recovery)
    if not results.figures.get((RECOVERY, one.entry.name)):
        results.remarks.setdefault((RECOVERY, one.entry.name), f"not within {measure.LONGEST_RECOVERY:.0f} s")


def _ask(
    results: Results, question: Question, one: Contestant, ask: Callable[..., list[float]], *given: int
) -> None:
    results.add(question, one.entry.name, _asked(results, question, one, ask, *given))


def _asked(
    results: Results, question: Question, one: Contestant, ask: Callable[..., list[float]], *given: int
) -> list[float]:
    """The figures, or none and a remark: one contestant's failure must not end the others' contest."""
    try:
        found = ask(one, *given)
    except Failed as reason:
        results.remarks[question, one.entry.name] = "failed"
        _say(f"  {one.entry.name}: {question.title}: {reason}")
        return []
    shown = ", ".join(question.show(value) for value in found[:5]) or "nothing in time"
    _say(f"  {one.entry.name}: {question.title} ({question.unit}): {shown}")
    return found


def _say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)
