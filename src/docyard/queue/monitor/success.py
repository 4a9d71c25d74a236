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
    """How well documents fare; None where nothing happened that could tell."""

    recovery_rate: float | None
    failures_last_hour: int
    failures_hour_before: int
    mean_seconds: float | None
    within_seconds: float | None  # for 95 of 100 documents; None beyond the largest bound
    stuck: int
    completed: int
    failed: int
    sample_age: float | None


def success(conn: Connection) -> Success:
    """How documents fared in the last day, from samples."""
    return measure_success(totals(conn), latest_sample(conn), samples_since(conn, SUCCESS_AGES))


def measure_success(now: list[Total], latest: Sample | None, earlier: Mapping[float, Sample]) -> Success:
    """The measures between the latest sample and those of an hour, two hours and a day ago."""
    ended = ended_since(latest, earlier.get(DAY))
    hour, both = (failures_since(now, earlier.get(age)) for age in (HOUR, 2 * HOUR))
    return Success(
        recovery_rate=ended.recovered / ended.troubled if ended.troubled else None,
        failures_last_hour=hour,
        failures_hour_before=both - hour,
        mean_seconds=ended.seconds / ended.completed if ended.completed else None,
        within_seconds=_bound_of(ended, 0.95),
        stuck=latest.count("stuck") if latest else 0,
        completed=ended.completed,
        failed=ended.failed,
        sample_age=latest.age if latest else None,
    )


def ended_since(latest: Sample | None, before: Sample | None) -> Ended:
    """What ended between two samples; all that was ever counted where there is no earlier one."""
    if latest is None:
        return Ended()
    return latest.ended.minus(before.ended) if before else latest.ended


def counted_since(now: list[Total], before: Sample | None) -> list[Total]:
    """What was counted since a sample, or ever."""
    return gained(now, before.totals if before else ())


def failures_since(now: list[Total], before: Sample | None) -> int:
    """How many attempts failed since a sample, or ever."""
    return sum(failures_by_category(counted_since(now, before)).values())


def failures_by_category(counted: Iterable[Total]) -> Counter[str]:
    """Failed attempts of each category."""
    found: Counter[str] = Counter()
    for total in counted:
        if total.event in FAILED and total.jobs:
            found[total.category] += total.jobs
    return found


def _bound_of(ended: Ended, share: float) -> float | None:
    if not ended.completed:
        return None
    bounds = zip(BOUNDS, ended.within, strict=True)
    return next((bound for bound, count in bounds if count >= share * ended.completed), None)
