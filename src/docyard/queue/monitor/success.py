"""The four measures of success: recovery rate, failure trend, time to completion, stuck documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docyard.db import Connection
from docyard.queue.monitor.samples import BOUNDS, Ended, Sample, latest_sample, samples_since
from docyard.queue.monitor.tallies import FAILED, Total, gained, totals

HOUR, DAY = 3600.0, 86_400.0
SUCCESS_AGES = (HOUR, 2 * HOUR, DAY)


@dataclass(frozen=True, slots=True)
class Success:
    """The four measures and the counts behind them; None if there is no data."""

    recovery_rate: float | None
    failures_last_hour: int
    failures_hour_before: int
    mean_seconds: float | None
    within_seconds: float | None  # bound met by 95 % of the documents; None if it exceeds the largest bound
    stuck: int
    completed: int
    failed: int
    sample_age: float | None


def success(conn: Connection) -> Success:
    """Return the measures of success from saved samples."""
    return measure_success(totals(conn), latest_sample(conn), samples_since(conn, SUCCESS_AGES))


def measure_success(now: list[Total], latest: Sample | None, earlier: Mapping[float, Sample]) -> Success:
    """Compute the measures from the current totals, the latest sample, and one for each of `SUCCESS_AGES`."""
    ended = ended_since(latest, earlier.get(DAY))
    hour, both = (failures_since(now, earlier.get(age)) for age in (HOUR, 2 * HOUR))
    return Success(
        recovery_rate=ended.recovered / ended.troubled if ended.troubled else None,
        failures_last_hour=hour,
        failures_hour_before=both - hour,
        mean_seconds=ended.seconds / ended.completed if ended.completed else None,
        within_seconds=_find_bound(ended, 0.95),
        stuck=latest.count("stuck") if latest else 0,
        completed=ended.completed,
        failed=ended.failed,
        sample_age=latest.age if latest else None,
    )


def ended_since(latest: Sample | None, before: Sample | None) -> Ended:
    """Return the documents that ended between two samples; without an earlier sample, all ever counted."""
    if latest is None:
        return Ended()
    return latest.ended.minus(before.ended) if before else latest.ended


def counted_since(now: list[Total], before: Sample | None) -> list[Total]:
    """Return the totals gained since a sample; without a sample, all totals."""
    return gained(now, before.totals if before else ())


def failures_since(now: list[Total], before: Sample | None) -> int:
    """Return how many attempts failed since a sample; without a sample, all that ever failed."""
    return sum(failures_by_category(counted_since(now, before)).values())


def failures_by_category(counted: Iterable[Total]) -> Counter[str]:
    """Count failed attempts by category."""
    failures: Counter[str] = Counter()
    for total in counted:
        if total.event in FAILED and total.jobs:
            failures[total.category] += total.jobs
    return failures


def _find_bound(ended: Ended, share: float) -> float | None:
    """Return the smallest bound within which this share of the completed documents ended."""
    if not ended.completed:
        return None
    bounds = zip(BOUNDS, ended.within, strict=True)
    return next((bound for bound, count in bounds if count >= share * ended.completed), None)
