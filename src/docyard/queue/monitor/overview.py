"""The data of the Operations page; counts whose cost grows with the backlog come from a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from docyard.db import Connection
from docyard.queue.control.clock_steps import NoticedStep, get_latest_step
from docyard.queue.control.duties import DutyStatus, list_duties
from docyard.queue.jobs.dead_letters import FailureCause, find_causes
from docyard.queue.monitor import status
from docyard.queue.monitor.blockers import Blocker, find_blockers
from docyard.queue.monitor.samples import QueueDepth, Sample, find_samples_since, get_latest_sample
from docyard.queue.monitor.stalls import STALL_SECONDS, StalledPool, find_stalled_pools, measure_silence
from docyard.queue.monitor.status import LimitedWorkspace, PoolStatus, StuckDocument, TierStatus, WorkerStatus
from docyard.queue.monitor.success import (
    DAY,
    HOUR,
    SUCCESS_AGES,
    SuccessMeasures,
    count_failures_by_category,
    count_failures_since,
    measure_success,
    totals_since,
)
from docyard.queue.monitor.tallies import FINAL_EVENTS, EventTotal, load_totals

SHARE_SECONDS = 600.0  # period over which the tiers' actual shares are computed
TREND_STEPS, TREND_STEP = 48, 1800.0  # one day in half hours
_AGES = (STALL_SECONDS, SHARE_SECONDS, *SUCCESS_AGES, *(step * TREND_STEP for step in range(1, TREND_STEPS + 1)))
_MAX_CAUSES = 20


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of the queue at one moment, for operators."""

    sample: Sample | None
    success: SuccessMeasures
    tiers: list[TierStatus]
    pools: list[PoolStatus]
    workers: list[WorkerStatus]
    work_waits: bool  # a job is pending
    work_is_left: bool  # a job is pending, running, or due
    finished_last_hour: int  # jobs that ended with any outcome
    errors: list[tuple[str, int, int]]  # category, failures in the last hour, failures in the last day
    trend: list[int]  # failures in each half hour of the last day, oldest first
    causes: list[FailureCause]
    stuck: list[StuckDocument]
    held: list[LimitedWorkspace]
    duties: list[DutyStatus]
    blockers: list[Blocker]
    stalled: list[StalledPool]
    silence: float  # seconds in which no job was claimed and no sample taken
    clock_step: NoticedStep | None = None


def collect_overview(conn: Connection, counted: Sample | None = None) -> Overview:
    """Return the state of the queue; without `counted`, the latest sample of a worker is used."""
    now, latest, earlier = load_totals(conn), get_latest_sample(conn), find_samples_since(conn, set(_AGES))
    sample = counted or latest
    depth = sample.depth if sample else []
    success = measure_success(now, latest, earlier)
    pools, workers = _load_pools(conn, depth), status.list_workers(conn)
    work_waits, work_is_left = status.find_work(conn)
    return Overview(
        sample=sample,
        success=replace(success, stuck=sample.count("stuck")) if sample else success,
        tiers=[_add_shares(tier, now, earlier) for tier in status.list_tiers(conn, depth)],
        pools=pools,
        workers=workers,
        work_waits=work_waits,
        work_is_left=work_is_left,
        finished_last_hour=_count_finished(totals_since(now, earlier.get(HOUR))),
        errors=_count_errors(now, earlier),
        trend=_compute_trend(now, earlier),
        causes=find_causes(conn, _MAX_CAUSES),
        stuck=status.find_stuck_documents(conn, ids=sample.stuck_documents) if sample else [],
        held=status.list_limited_workspaces(conn),
        duties=list_duties(conn),
        blockers=find_blockers(conn),
        stalled=find_stalled_pools(now, sample, earlier.get(STALL_SECONDS), pools, workers),
        silence=measure_silence(now, latest),
        clock_step=get_latest_step(conn),
    )


def _load_pools(conn: Connection, depth: Sequence[QueueDepth]) -> list[PoolStatus]:
    running = status.count_running_jobs(conn)
    return [replace(pool, running=running.get(pool.name, 0)) for pool in status.list_pools(conn, depth)]


def _add_shares(tier: TierStatus, now: list[EventTotal], earlier: Mapping[float, Sample]) -> TierStatus:
    claims = _count_claims(totals_since(now, earlier.get(SHARE_SECONDS)))
    hour = [t for t in totals_since(now, earlier.get(HOUR)) if t.event == "claimed" and t.tier == tier.tier]
    first_claims = sum(t.fresh for t in hour)
    return replace(
        tier,
        actual_share=claims[tier.tier] / claims.total() if claims.total() else None,
        in_time=1 - sum(t.late for t in hour) / first_claims if first_claims else None,
    )


def _count_finished(counted: Iterable[EventTotal]) -> int:
    return sum(total.jobs for total in counted if total.event in FINAL_EVENTS)


def _count_claims(counted: Iterable[EventTotal]) -> Counter[int]:
    claims: Counter[int] = Counter()
    for total in counted:
        if total.event == "claimed":
            claims[total.tier] += total.jobs
    return claims


def _count_errors(now: list[EventTotal], earlier: Mapping[float, Sample]) -> list[tuple[str, int, int]]:
    hour, day = (count_failures_by_category(totals_since(now, earlier.get(age))) for age in (HOUR, DAY))
    return [(category, hour[category], count) for category, count in day.most_common()]


def _compute_trend(now: list[EventTotal], earlier: Mapping[float, Sample]) -> list[int]:
    since = [count_failures_since(now, earlier.get(step * TREND_STEP)) for step in range(TREND_STEPS, 0, -1)]
    return [max(0, more - less) for more, less in zip(since, [*since[1:], 0], strict=True)]
