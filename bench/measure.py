"""The questions put to every contestant; each gives one figure of one repetition."""

from __future__ import annotations

import queue
import random
import time

from bench.contestant import Contestant, Crew, Failed

FIRST = 2000
_PATIENCE = 180.0
_SPACING = (0.1, 0.15)  # seconds between two samples; a fixed pause could keep step with a poll
_LONGEST_PICKUPS = 20.0  # one contestant takes a second for each
RECOVERED = 10
LONGEST_RECOVERY = 60.0


def enqueue_single(contestant: Contestant, jobs: int) -> list[float]:
    """Jobs a second, one per transaction."""
    contestant.client.clear()
    return [_rate(contestant, "enqueue", jobs, jobs)]


def enqueue_bulk(contestant: Contestant, calls: int) -> list[float]:
    """Jobs a second, a thousand per call."""
    contestant.client.clear()
    return [_rate(contestant, "enqueue_bulk", calls, calls * 1000)]


def _rate(contestant: Contestant, verb: str, given: int, jobs: int) -> float:
    answer = contestant.client.ask(verb, given)
    return jobs / float(answer["ended"] - answer["began"])


def burn_down(contestant: Contestant, processes: int, jobs: int) -> list[float]:
    """Jobs a second from the first start until the last one is settled."""
    contestant.preload(jobs)
    with contestant.crew(processes) as crew:
        crew.go()
        crew.await_ran(jobs, _PATIENCE)
        _await_settled(contestant)
        return [jobs / (time.monotonic() - crew.first)]


def _await_settled(contestant: Contestant) -> None:
    deadline = time.monotonic() + _PATIENCE
    while left := contestant.client.left():
        if time.monotonic() > deadline:
            raise Failed(f"{left:,} jobs were never settled")
        time.sleep(0.002)


def first_jobs(contestant: Contestant, waiting: int, times: int) -> list[float]:
    """Jobs a second over the first 2,000, one process, with so many more waiting behind them."""
    contestant.preload(waiting + FIRST * times)
    rates = []
    for _ in range(times):
        with contestant.crew(1) as crew:
            crew.go()
            crew.await_ran(FIRST, _PATIENCE)
            ran, seconds = crew.ran, crew.last - crew.first
            # It must not eat the backlog while it is asked to stop.
            crew.kill()
        rates.append(ran / seconds)
    contestant.client.clear()
    return rates


def pickups(contestant: Contestant, samples: int) -> list[float]:
    """Milliseconds from the call of enqueue until the handler starts, each on an idle system."""
    contestant.client.clear()
    with contestant.crew(1, BENCH_EACH="1") as crew:
        crew.go()
        # The first ones wait for the worker to get up, and for its statements to be planned.
        for _ in range(5):
            _pickup(contestant, crew)
            time.sleep(0.2)
        found: list[float] = []
        deadline = time.monotonic() + _LONGEST_PICKUPS
        while len(found) < samples and time.monotonic() < deadline:
            found.append(_pickup(contestant, crew) * 1000)
            time.sleep(random.uniform(*_SPACING))  # noqa: S311 (no secret)
    return found


def _pickup(contestant: Contestant, crew: Crew) -> float:
    began = contestant.client.ask("enqueue", 1)["began"]
    try:
        return crew.starts.get(timeout=30) - float(began)
    except queue.Empty:
        raise Failed("a job enqueued on the idle system did not start within 30 s") from None


def recovery(contestant: Contestant) -> list[float]:
    """Seconds from SIGKILL until every job of that worker ran again; nothing when they did not in time."""
    contestant.client.clear()
    with contestant.crew(1, BENCH_EACH="1", BENCH_HANG="1") as crew:
        crew.go()
        contestant.client.ask("enqueue", RECOVERED)
        crew.await_ran(1, _PATIENCE)
        time.sleep(2.0)  # let it take what it will take, and say that it lives
        crew.kill()
    killed = time.monotonic()
    with contestant.crew(1, BENCH_EACH="1") as crew:
        crew.go()
        try:
            crew.await_ran(RECOVERED, LONGEST_RECOVERY)
        except Failed:
            return []
        return [crew.last - killed]
