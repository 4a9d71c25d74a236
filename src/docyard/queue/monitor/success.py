"""The four measures of success: recovery rate, failure trend, time to completion, stuck documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docyard.db import Connection
from docyard.queue.monitor.samples import HISTOGRAM_BOUNDS, EndedCounts, Sample, find_samples_since, get_latest_sample
from docyard.queue.monitor.tallies import FAILURE_EVENTS, EventTotal, load_totals, subtract_totals

HOUR, DAY = 3600.0, 86_400.0
SUCCESS_AGES = (HOUR, 2 * HOUR, DAY)


@dataclass(frozen=True, slots=True)
class SuccessMeasures:
    """The four measures and the counts behind them; a measure without data is None."""

    recovery_rate: float | None
    failures_last_hour: int
    failures_hour_before: int
    mean_seconds: float | None
    within_seconds: float | None  # smallest bound met by 95 % of the documents; None if no bound was
    stuck: int
    completed: int
    failed: int
    sample_age: float | None


def get_success(conn: Connection) -> SuccessMeasures:
    """Return the measures of success from saved samples."""
    return measure_success(load_totals(conn), get_latest_sample(conn), find_samples_since(conn, SUCCESS_AGES))


def measure_success(now: list[EventTotal], latest: Sample | None, earlier: Mapping[float, Sample]) -> SuccessMeasures:
    """Compute the measures from the current totals, the latest sample and the samples at `SUCCESS_AGES`."""
    ended = count_ended_since(latest, earlier.get(DAY))
    hour, both = (count_failures_since(now, earlier.get(age)) for age in (HOUR, 2 * HOUR))
    return SuccessMeasures(
        recovery_rate=_get_recovery_rate(latest),
        failures_last_hour=hour,
        failures_hour_before=both - hour,
        mean_seconds=ended.seconds / ended.completed if ended.completed else None,
        within_seconds=_find_bound(ended, 0.95),
        stuck=latest.count("stuck") if latest else 0,
        completed=ended.completed,
        failed=ended.failed,
        sample_age=latest.age if latest else None,
    )


def count_ended_since(latest: Sample | None, before: Sample | None) -> EndedCounts:
    """Return the counts between two samples; without an earlier sample, return all counts so far."""
    if latest is None:
        return EndedCounts()
    return latest.ended.minus(before.ended) if before else latest.ended


def totals_since(now: list[EventTotal], before: Sample | None) -> list[EventTotal]:
    """Return the increase of the totals since a sample; without a sample, return the totals."""
    return subtract_totals(now, before.totals if before else ())


def count_failures_since(now: list[EventTotal], before: Sample | None) -> int:
    """Return how many attempts failed since a sample; without a sample, count all failed attempts."""
    return sum(count_failures_by_category(totals_since(now, before)).values())


def count_failures_by_category(counted: Iterable[EventTotal]) -> Counter[str]:
    """Return the number of failed attempts by category."""
    failures: Counter[str] = Counter()
    for total in counted:
        if total.event in FAILURE_EVENTS and total.jobs:
            failures[total.category] += total.jobs
    return failures


def _get_recovery_rate(latest: Sample | None) -> float | None:
    troubled = latest.count("troubled") if latest else 0
    return latest.count("recovered") / troubled if latest and troubled else None


def _find_bound(ended: EndedCounts, share: float) -> float | None:
    """Return the smallest bound within which this share of the completed documents ended."""
    if not ended.completed:
        return None
    bounds = zip(HISTOGRAM_BOUNDS, ended.within, strict=True)
    return next((bound for bound, count in bounds if count >= share * ended.completed), None)
