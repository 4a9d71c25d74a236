"""The measures behind `/metrics`, from the tallies, the latest sample and a few small tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from docyard.db import Connection
from docyard.queue import control, monitor
from docyard.web.metrics.exposition import Metric

_BREAKER_STATES = ("closed", "open", "half_open")
_NOT_OUTCOMES = ("claimed", "refused")


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read; its cost does not depend on how much waits."""

    totals: list[monitor.Total]
    sample: monitor.Sample | None
    success: monitor.Success
    tiers: list[monitor.TierStatus]
    pools: list[monitor.PoolStatus]
    workers: dict[str, int]
    duties: list[control.DutyLine]

    def tier(self, number: int) -> str:
        """The name of a tier."""
        return next((each.name for each in self.tiers if each.tier == number), str(number))


def read_facts(conn: Connection) -> Facts:
    """Read them."""
    totals, sample = monitor.totals(conn), monitor.latest_sample(conn)
    earlier = monitor.samples_since(conn, monitor.SUCCESS_AGES)
    depth = sample.depth if sample else []
    return Facts(
        totals,
        sample,
        monitor.measure_success(totals, sample, earlier),
        monitor.tiers(conn, depth),
        monitor.pools(conn, depth),
        monitor.worker_states(conn),
        control.duty_lines(conn),
    )


def measures(facts: Facts) -> Iterator[Metric]:
    """Every metric, in a fixed order."""
    for measure in (_waiting, _counted, _waits, _fortunes, _health):
        yield from measure(facts)


def _waiting(facts: Facts) -> Iterator[Metric]:
    depth = Metric(
        "docyard_queue_depth", "gauge", "Jobs that wait to be claimed, when last sampled.", ("tier", "pool")
    )
    oldest = Metric(
        "docyard_oldest_wait_seconds",
        "gauge",
        "Longest wait for a first claim, when last sampled.",
        ("tier",),
    )
    lines = {(line.pool, line.tier): line for line in facts.sample.depth} if facts.sample else {}
    for tier in facts.tiers:
        for pool in facts.pools:
            line = lines.get((pool.name, tier.tier))
            depth.add(line.pending if line else 0, tier=tier.name, pool=pool.name)
        oldest.add(tier.oldest_wait, tier=tier.name)
    yield from (depth, oldest)


def _counted(facts: Facts) -> Iterator[Metric]:
    yield _summed(
        Metric("docyard_claims_total", "counter", "Jobs given to workers.", ("pool", "tier")),
        facts,
        lambda t: {"pool": t.pool, "tier": facts.tier(t.tier)} if t.event == "claimed" else None,
    )
    yield _summed(
        Metric(
            "docyard_settled_total",
            "counter",
            "How jobs that were held came off.",
            ("pool", "tier", "outcome"),
        ),
        facts,
        lambda t: (
            {"pool": t.pool, "tier": facts.tier(t.tier), "outcome": t.event}
            if t.event not in _NOT_OUTCOMES
            else None
        ),
    )
    yield _summed(
        Metric(
            "docyard_failures_total", "counter", "Attempts that failed, retried or not.", ("category", "pool")
        ),
        facts,
        lambda t: {"category": t.category, "pool": t.pool} if t.event in monitor.FAILED else None,
    )
    refused = Metric("docyard_fence_rejections_total", "counter", "Late results that the fence refused.")
    refused.add(sum(total.jobs for total in facts.totals if total.event == "refused"))
    yield refused


def _summed(metric: Metric, facts: Facts, labels: Callable[[monitor.Total], dict[str, str] | None]) -> Metric:
    found: Counter[tuple[tuple[str, str], ...]] = Counter()
    for total in facts.totals:
        named = labels(total)
        if named is not None:
            found[tuple(named.items())] += total.jobs
    for key, jobs in found.items():
        metric.add(jobs, **dict(key))
    return metric


def _waits(facts: Facts) -> Iterator[Metric]:
    waits = Metric(
        "docyard_wait_seconds", "summary", "How long jobs waited for their first claim.", ("tier",)
    )
    late = Metric(
        "docyard_waits_over_objective_total",
        "counter",
        "First claims later than their tier's objective.",
        ("tier",),
    )
    for tier in facts.tiers:
        claims = [t for t in facts.totals if t.tier == tier.tier and t.event == "claimed"]
        waits.add(sum(t.wait_seconds for t in claims), "_sum", tier=tier.name)
        waits.add(sum(t.fresh for t in claims), "_count", tier=tier.name)
        late.add(sum(t.late for t in claims), tier=tier.name)
    yield from (waits, late)


def _fortunes(facts: Facts) -> Iterator[Metric]:
    rate = Metric(
        "docyard_recovery_rate", "gauge", "Of documents that ended after a failure in a day, those unharmed."
    )
    if facts.success.recovery_rate is not None:
        rate.add(facts.success.recovery_rate)
    took = Metric(
        "docyard_pending_to_completed_seconds", "histogram", "From a document's arrival to its completion."
    )
    ended = facts.sample.ended if facts.sample else monitor.Ended()
    for bound, count in zip((*monitor.BOUNDS, math.inf), (*ended.within, ended.completed), strict=True):
        took.add(count, "_bucket", le="+Inf" if math.isinf(bound) else f"{bound:g}")
    took.add(ended.seconds, "_sum")
    took.add(ended.completed, "_count")
    stuck = Metric("docyard_stuck_documents", "gauge", "Documents that nothing has touched for an hour.")
    stuck.add(facts.success.stuck)
    letters = Metric("docyard_dead_letters", "gauge", "Jobs that will not run again by themselves.")
    letters.add(facts.sample.count("dead") if facts.sample else 0)
    yield from (rate, took, stuck, letters)


def _health(facts: Facts) -> Iterator[Metric]:
    breakers = Metric(
        "docyard_breaker_state", "gauge", "1 for the state a pool's breaker is in.", ("pool", "state")
    )
    for pool in facts.pools:
        for state in _BREAKER_STATES:
            breakers.add(int(pool.breaker == state), pool=pool.name, state=state)
    workers = Metric(
        "docyard_workers", "gauge", "Workers by state; silent ones missed their lease.", ("state",)
    )
    for state, count in facts.workers.items():
        workers.add(count, state=state)
    yield from (breakers, workers, *_database(facts), *_upkeep(facts))


def _database(facts: Facts) -> Iterator[Metric]:
    held = Metric(
        "docyard_xmin_age_seconds", "gauge", "How long somebody has kept dead rows from being removed."
    )
    holder = facts.sample.holder if facts.sample else None
    held.add(holder.seconds if holder else 0)
    dead = Metric("docyard_dead_tuples", "gauge", "Dead rows of the tables that change most.", ("table",))
    for table in facts.sample.tables if facts.sample else ():
        dead.add(table.dead, table=table.name)
    yield from (held, dead)


def _upkeep(facts: Facts) -> Iterator[Metric]:
    sample = Metric(
        "docyard_sample_age_seconds", "gauge", "How old the sample is that these numbers come from."
    )
    sample.add(facts.sample.age if facts.sample else math.inf)
    age = Metric("docyard_duty_age_seconds", "gauge", "How long ago a duty was last begun.", ("duty",))
    failing = Metric("docyard_duty_failing", "gauge", "1 while a duty fails.", ("duty",))
    for duty in facts.duties:
        age.add(duty.age if duty.began_at else math.inf, duty=duty.duty)
        failing.add(int(duty.error is not None), duty=duty.duty)
    yield from (sample, age, failing)
