"""Results: repetitions per metric and contestant, with medians, ranges and ratios."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Metric:
    """A measured quantity."""

    title: str
    unit: str
    higher_is_better: bool = True
    decimals: int = 0

    def format(self, value: float) -> str:
        """Return a value as text."""
        return f"{value:,.{self.decimals}f}"


SINGLE = Metric("enqueue, one job per call", "jobs/s")
BULK = Metric("enqueue, 1,000 jobs per call", "jobs/s")
BURN = {n: Metric(f"burn-down, {n} process{'es' if n > 1 else ''}", "jobs/s") for n in (1, 2)}
PICKUP = {
    50: Metric("pickup p50", "ms", higher_is_better=False, decimals=1),
    99: Metric("pickup p99", "ms", higher_is_better=False, decimals=1),
}
FIRST = {
    pending: Metric(f"first 2,000 jobs, {label} more pending", "jobs/s")
    for pending, label in ((1_000, "1k"), (100_000, "100k"), (1_000_000, "1M"))
}
RECOVERY = Metric("recovery of a killed worker's jobs", "s", higher_is_better=False, decimals=1)
METRICS = (SINGLE, BULK, *BURN.values(), *PICKUP.values(), *FIRST.values(), RECOVERY)


@dataclass
class Results:
    """All figures of a run."""

    contestants: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    figures: dict[tuple[Metric, str], list[float]] = field(default_factory=dict)
    remarks: dict[tuple[Metric, str], str] = field(default_factory=dict)

    def add(self, metric: Metric, contestant: str, values: Iterable[float]) -> None:
        """Add repetitions."""
        self.figures.setdefault((metric, contestant), []).extend(values)

    def measured_metrics(self) -> list[Metric]:
        """Return the metrics that were measured in this run."""
        return [metric for metric in METRICS if any(key[0] == metric for key in self.figures)]

    def median(self, metric: Metric, contestant: str) -> float | None:
        """Return the median of the repetitions, or None if there are none."""
        values = self.figures.get((metric, contestant))
        return statistics.median(values) if values else None

    def spread(self, metric: Metric, contestant: str) -> tuple[float, float]:
        """Return the minimum and maximum of the repetitions."""
        values = self.figures[metric, contestant]
        return min(values), max(values)

    def describe(self, metric: Metric, contestant: str) -> str:
        """Return the median as text, or a remark if there is none."""
        value = self.median(metric, contestant)
        remark = self.remarks.get((metric, contestant), "—")
        return remark if value is None else metric.format(value)

    def lead(self, metric: Metric, contestant: str, over: str) -> float | None:
        """Return how many times better `contestant` is than `over`, or None if either has no figures."""
        ours, theirs = self.median(metric, contestant), self.median(metric, over)
        if not ours or not theirs:
            return None
        return ours / theirs if metric.higher_is_better else theirs / ours
