"""Everything an operator should see at one glance; what grows with the backlog is read from a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docyard.db import Connection
from docyard.queue.control.duties import DutyLine, duty_lines
from docyard.queue.jobs.dead_letters import Cause, dead_causes
from docyard.queue.monitor import condition
from docyard.queue.monitor.board import WorkerLine, worker_lines
from docyard.queue.monitor.condition import HeldWorkspace, NamedDocument, PoolRule, TierRule
from docyard.queue.monitor.samples import Depth, Sample, latest_sample, samples_since
from docyard.queue.monitor.success import (
    DAY,
    HOUR,
    SUCCESS_AGES,
    Success,
    counted_since,
    failures_by_category,
    failures_since,
    measure_success,
)
from docyard.queue.monitor.tallies import Total, totals

SHARE_SECONDS = 600.0  # shares are those of the last ten minutes
TREND_STEPS, TREND_STEP = 48, 1800.0  # a day in half hours
_AGES = (SHARE_SECONDS, *SUCCESS_AGES, *(step * TREND_STEP for step in range(1, TREND_STEPS + 1)))
_MOST_CAUSES = 20


@dataclass(frozen=True, slots=True)
class TierView:
    """A tier: what it is promised and what it gets."""

    rule: TierRule
    pending: int
    oldest: float
    actual_share: float | None  # of the claims in the last ten minutes; None when there were none
    in_time: float | None  # of the first claims in the last hour, those within the objective


@dataclass(frozen=True, slots=True)
class PoolView:
    """A pool: what waits and runs in it, and what holds it back."""

    rule: PoolRule
    pending: int
    scheduled: int
    running: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The queue as its operators see it."""

    sample: Sample | None
    success: Success
    tiers: list[TierView]
    pools: list[PoolView]
    workers: list[WorkerLine]
    work_waits: bool
    errors: list[tuple[str, int, int]]  # category, failures in the last hour, in the last day
    trend: list[int]  # failures in each half hour of the last day, the oldest first
    causes: list[Cause]
    stuck: list[NamedDocument]
    held: list[HeldWorkspace]
    duties: list[DutyLine]


def overview(conn: Connection) -> Overview:
    """Look at everything."""
    now, latest, earlier = totals(conn), latest_sample(conn), samples_since(conn, set(_AGES))
    depth = latest.depth if latest else []
    return Overview(
        sample=latest,
        success=measure_success(now, latest, earlier),
        tiers=[_tier(rule, depth, now, earlier) for rule in condition.tier_rules(conn)],
        pools=_pools(conn, depth),
        workers=worker_lines(conn),
        work_waits=condition.work_waits(conn),
        errors=_errors(now, earlier),
        trend=_trend(now, earlier),
        causes=dead_causes(conn, _MOST_CAUSES),
        stuck=condition.named_documents(conn, latest.stuck_documents) if latest else [],
        held=condition.held_workspaces(conn),
        duties=duty_lines(conn),
    )


def _tier(
    rule: TierRule, depth: Iterable[Depth], now: list[Total], earlier: Mapping[float, Sample]
) -> TierView:
    here = [line for line in depth if line.tier == rule.tier]
    claims = _claims(counted_since(now, earlier.get(SHARE_SECONDS)))
    fresh = [t for t in counted_since(now, earlier.get(HOUR)) if t.event == "claimed" and t.tier == rule.tier]
    first = sum(t.fresh for t in fresh)
    return TierView(
        rule,
        pending=sum(line.pending for line in here),
        oldest=max((line.oldest or 0.0 for line in here), default=0.0),
        actual_share=claims[rule.tier] / claims.total() if claims.total() else None,
        in_time=1 - sum(t.late for t in fresh) / first if first else None,
    )


def _claims(counted: Iterable[Total]) -> Counter[int]:
    claims: Counter[int] = Counter()
    for total in counted:
        if total.event == "claimed":
            claims[total.tier] += total.jobs
    return claims


def _pools(conn: Connection, depth: list[Depth]) -> list[PoolView]:
    running = condition.running_jobs(conn)
    return [
        PoolView(
            rule,
            sum(line.pending for line in depth if line.pool == rule.name),
            sum(line.scheduled for line in depth if line.pool == rule.name),
            running.get(rule.name, 0),
        )
        for rule in condition.pool_rules(conn)
    ]


def _errors(now: list[Total], earlier: Mapping[float, Sample]) -> list[tuple[str, int, int]]:
    hour, day = (failures_by_category(counted_since(now, earlier.get(age))) for age in (HOUR, DAY))
    return [(category, hour[category], count) for category, count in day.most_common()]


def _trend(now: list[Total], earlier: Mapping[float, Sample]) -> list[int]:
    since = [failures_since(now, earlier.get(step * TREND_STEP)) for step in range(TREND_STEPS, 0, -1)]
    return [max(0, more - less) for more, less in zip(since, [*since[1:], 0], strict=True)]
