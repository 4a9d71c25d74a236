"""Measurements of a contestant; each function returns a list of figures."""

from __future__ import annotations

import queue
import random
import time

from bench.contestant import Contestant, ContestantError, WorkerGroup

FIRST = 2000
_TIMEOUT = 180.0  # seconds
_SPACING = (0.1, 0.15)  # seconds between two samples; random, so as not to synchronise with polling
_MAX_PICKUP_SECONDS = 20.0  # for all samples; one contestant needs a second for each
RECOVERED = 10
MAX_RECOVERY_SECONDS = 60.0


def enqueue_single(contestant: Contestant, jobs: int) -> list[float]:
    """Return jobs per second, with one job per call."""
    contestant.client.clear()
    return [_measure_rate(contestant, "enqueue", jobs, jobs)]


def enqueue_bulk(contestant: Contestant, calls: int) -> list[float]:
    """Return jobs per second, with a thousand jobs per call."""
    contestant.client.clear()
    return [_measure_rate(contestant, "enqueue_bulk", calls, calls * 1000)]


def _measure_rate(contestant: Contestant, verb: str, argument: int, jobs: int) -> float:
    answer = contestant.client.ask(verb, argument)
    return jobs / float(answer["ended"] - answer["began"])


def burn_down(contestant: Contestant, processes: int, jobs: int) -> list[float]:
    """Return jobs per second, from the start of the first job until the last one is settled."""
    contestant.preload(jobs)
    with contestant.workers(processes) as workers:
        workers.go()
        workers.await_jobs(jobs, _TIMEOUT)
        _await_settled(contestant)
        return [jobs / (time.monotonic() - workers.first)]


def _await_settled(contestant: Contestant) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while unfinished := contestant.client.count_unfinished():
        if time.monotonic() > deadline:
            raise ContestantError(f"{unfinished:,} jobs were not settled within {_TIMEOUT:.0f} s")
        time.sleep(0.002)


def first_jobs(contestant: Contestant, pending: int, repetitions: int) -> list[float]:
    """Return jobs per second of the first 2,000 jobs in one process, with this many more pending."""
    contestant.preload(pending + FIRST * repetitions)
    rates = []
    for _ in range(repetitions):
        with contestant.workers(1) as workers:
            workers.go()
            workers.await_jobs(FIRST, _TIMEOUT)
            ran, seconds = workers.ran, workers.last - workers.first
            # Killed, because workers would process more of the backlog during a graceful stop.
            workers.kill()
        rates.append(ran / seconds)
    contestant.client.clear()
    return rates


def pickups(contestant: Contestant, samples: int) -> list[float]:
    """Return the milliseconds from the call of `enqueue` until the handler starts, on an idle system."""
    contestant.client.clear()
    with contestant.workers(1, BENCH_EACH="1") as workers:
        workers.go()
        # Warm-up: the first jobs wait until the worker has started and its statements are planned.
        for _ in range(5):
            _measure_pickup(contestant, workers)
            time.sleep(0.2)
        found: list[float] = []
        deadline = time.monotonic() + _MAX_PICKUP_SECONDS
        while len(found) < samples and time.monotonic() < deadline:
            found.append(_measure_pickup(contestant, workers) * 1000)
            time.sleep(random.uniform(*_SPACING))  # noqa: S311 (not for security)
    return found


def _measure_pickup(contestant: Contestant, workers: WorkerGroup) -> float:
    began = contestant.client.ask("enqueue", 1)["began"]
    try:
        return workers.starts.get(timeout=30) - float(began)
    except queue.Empty:
        raise ContestantError("a job enqueued on the idle system did not start within 30 s") from None


def recovery(contestant: Contestant) -> list[float]:
    """Return the seconds from killing a worker until its jobs have restarted; empty after a timeout."""
    contestant.client.clear()
    with contestant.workers(1, BENCH_EACH="1", BENCH_HANG="1") as workers:
        workers.go()
        contestant.client.ask("enqueue", RECOVERED)
        workers.await_jobs(1, _TIMEOUT)
        time.sleep(2.0)  # lets the worker claim more jobs and send a heartbeat
        workers.kill()
    killed = time.monotonic()
    with contestant.workers(1, BENCH_EACH="1") as workers:
        workers.go()
        try:
            workers.await_jobs(RECOVERED, MAX_RECOVERY_SECONDS)
        except ContestantError:
            return []
        return [workers.last - killed]
