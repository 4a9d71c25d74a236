"""The metrics of `/metrics`, from event totals, the latest sample and a few small tables."""

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
class QueueData:
    """The data behind the metrics; the cost of reading it does not depend on the backlog."""

    totals: list[monitor.EventTotal]
    sample: monitor.Sample | None
    success: monitor.SuccessMeasures
    tiers: list[monitor.TierStatus]
    pools: list[monitor.PoolStatus]
    workers: dict[str, int]
    duties: list[control.DutyStatus]
    blockers: int

    def tier(self, number: int) -> str:
        """Return the name of a tier."""
        return next((each.name for each in self.tiers if each.tier == number), str(number))


def read_queue_data(conn: Connection) -> QueueData:
    """Read the data behind the metrics."""
    totals, sample = monitor.load_totals(conn), monitor.get_latest_sample(conn)
    earlier = monitor.find_samples_since(conn, monitor.SUCCESS_AGES)
    depth = sample.depth if sample else []
    return QueueData(
        totals,
        sample,
        monitor.measure_success(totals, sample, earlier),
        monitor.list_tiers(conn, depth),
        monitor.list_pools(conn, depth),
        monitor.count_worker_states(conn),
        control.list_duties(conn),
        len(monitor.find_blockers(conn)),
    )


def collect_metrics(facts: QueueData) -> Iterator[Metric]:
    """Yield every metric, in a fixed order."""
    for measure in (_queue_metrics, _counters, _wait_metrics, _document_metrics, _health_metrics):
        yield from measure(facts)


def _queue_metrics(facts: QueueData) -> Iterator[Metric]:
    depth = Metric("docyard_queue_depth", "gauge", "Pending jobs in the latest sample.", ("tier", "pool"))
    oldest = Metric(
        "docyard_oldest_wait_seconds", "gauge", "Longest wait for a first claim in the latest sample.", ("tier",)
    )
    lines = {(line.pool, line.tier): line for line in facts.sample.depth} if facts.sample else {}
    for tier in facts.tiers:
        for pool in facts.pools:
            line = lines.get((pool.name, tier.tier))
            depth.add(line.pending if line else 0, tier=tier.name, pool=pool.name)
        oldest.add(tier.oldest_wait, tier=tier.name)
    yield from (depth, oldest)


def _counters(facts: QueueData) -> Iterator[Metric]:
    yield _sum_totals(
        Metric("docyard_claims_total", "counter", "Jobs leased to workers.", ("pool", "tier")),
        facts,
        lambda t: {"pool": t.pool, "tier": facts.tier(t.tier)} if t.event == "claimed" else None,
    )
    yield _sum_totals(
        Metric(
            "docyard_settled_total",
            "counter",
            "Settlements and cancellations of jobs by outcome; a job that is retried has several.",
            ("pool", "tier", "outcome"),
        ),
        facts,
        lambda t: (
            {"pool": t.pool, "tier": facts.tier(t.tier), "outcome": t.event} if t.event not in _NOT_OUTCOMES else None
        ),
    )
    yield _sum_totals(
        Metric("docyard_failures_total", "counter", "Failed attempts, retried or not.", ("category", "pool")),
        facts,
        lambda t: {"category": t.category, "pool": t.pool} if t.event in monitor.FAILURE_EVENTS else None,
    )
    refused = Metric("docyard_fence_rejections_total", "counter", "Late results rejected by the fence.")
    refused.add(sum(total.jobs for total in facts.totals if total.event == "refused"))
    yield refused


def _sum_totals(
    metric: Metric, facts: QueueData, labels: Callable[[monitor.EventTotal], dict[str, str] | None]
) -> Metric:
    sums: Counter[tuple[tuple[str, str], ...]] = Counter()
    for total in facts.totals:
        key = labels(total)
        if key is not None:
            sums[tuple(key.items())] += total.jobs
    for pairs, jobs in sums.items():
        metric.add(jobs, **dict(pairs))
    return metric


def _wait_metrics(facts: QueueData) -> Iterator[Metric]:
    waits = Metric("docyard_wait_seconds", "summary", "Time that jobs waited for their first claim.", ("tier",))
    late = Metric(
        "docyard_waits_over_objective_total",
        "counter",
        "First claims later than the objective of their tier.",
        ("tier",),
    )
    for tier in facts.tiers:
        claims = [t for t in facts.totals if t.tier == tier.tier and t.event == "claimed"]
        waits.add(sum(t.wait_seconds for t in claims), "_sum", tier=tier.name)
        waits.add(sum(t.fresh for t in claims), "_count", tier=tier.name)
        late.add(sum(t.late for t in claims), tier=tier.name)
    yield from (waits, late)


def _document_metrics(facts: QueueData) -> Iterator[Metric]:
    rate = Metric(
        "docyard_recovery_rate",
        "gauge",
        "Of the documents that ended in the last day after a failed attempt, the share completed in full.",
    )
    if facts.success.recovery_rate is not None:
        rate.add(facts.success.recovery_rate)
    took = Metric(
        "docyard_pending_to_completed_seconds", "histogram", "Time from a document's arrival to its first completion."
    )
    ended = facts.sample.ended if facts.sample else monitor.EndedCounts()
    for bound, count in zip((*monitor.HISTOGRAM_BOUNDS, math.inf), (*ended.within, ended.completed), strict=True):
        took.add(count, "_bucket", le="+Inf" if math.isinf(bound) else f"{bound:g}")
    took.add(ended.seconds, "_sum")
    took.add(ended.completed, "_count")
    stuck = Metric("docyard_stuck_documents", "gauge", "Documents without progress for over an hour.")
    stuck.add(facts.success.stuck)
    letters = Metric("docyard_dead_letters", "gauge", "Jobs that failed permanently and are kept for replay.")
    letters.add(facts.sample.count("dead") if facts.sample else 0)
    yield from (rate, took, stuck, letters)


def _health_metrics(facts: QueueData) -> Iterator[Metric]:
    breakers = Metric(
        "docyard_breaker_state", "gauge", "1 for the current state of a pool's breaker, else 0.", ("pool", "state")
    )
    for pool in facts.pools:
        for state in _BREAKER_STATES:
            breakers.add(int(pool.breaker == state), pool=pool.name, state=state)
    workers = Metric(
        "docyard_workers", "gauge", "Workers by state; silent: no heartbeat for a lease period.", ("state",)
    )
    for state, count in facts.workers.items():
        workers.add(count, state=state)
    yield from (breakers, workers, *_database_metrics(facts), *_duty_metrics(facts))


def _database_metrics(facts: QueueData) -> Iterator[Metric]:
    xmin = Metric(
        "docyard_xmin_age_seconds",
        "gauge",
        "How long a transaction or replication slot has kept vacuum from removing dead rows.",
    )
    holder = facts.sample.holder if facts.sample else None
    xmin.add(holder.seconds if holder else 0)
    dead = Metric("docyard_dead_tuples", "gauge", "Dead rows of the most frequently updated tables.", ("table",))
    for table in facts.sample.tables if facts.sample else ():
        dead.add(table.dead, table=table.name)
    blockers = Metric(
        "docyard_blockers", "gauge", "Transactions of other sessions that hold locks which Docyard needs."
    )
    blockers.add(facts.blockers)
    yield from (xmin, dead, blockers)


def _duty_metrics(facts: QueueData) -> Iterator[Metric]:
    sample = Metric("docyard_sample_age_seconds", "gauge", "Age of the sample behind these metrics.")
    sample.add(facts.sample.age if facts.sample else math.inf)
    age = Metric("docyard_duty_age_seconds", "gauge", "Time since a duty last started.", ("duty",))
    failing = Metric("docyard_duty_failing", "gauge", "1 if the last run of a duty failed, else 0.", ("duty",))
    for duty in facts.duties:
        age.add(duty.age if duty.began_at else math.inf, duty=duty.duty)
        failing.add(int(duty.error is not None), duty=duty.duty)
    yield from (sample, age, failing)
