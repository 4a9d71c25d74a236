"""95 % confidence intervals of shares and means."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.96
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with the number of cases and the 95 % confidence interval."""

    value: float
    count: int
    low: float
    high: float

    def __str__(self) -> str:
        if not self.count:
            return "–"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def share(hits: int, count: int) -> Estimate:
    """Return a share with its Wilson interval, which is accurate even for few cases and near 0 and 1."""
    if not count:
        return Estimate(0.0, 0, 0.0, 1.0)
    p = hits / count
    middle = (p + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    half = _Z / (1 + _Z**2 / count) * (p * (1 - p) / count + _Z**2 / (4 * count**2)) ** 0.5
    return Estimate(p, count, max(middle - half, 0.0), min(middle + half, 1.0))


def mean(values: Sequence[float]) -> Estimate:
    """Return a mean with its bootstrap interval; the same values always yield the same interval."""
    if not values:
        return Estimate(0.0, 0, 0.0, 0.0)
    generator = random.Random(len(values))  # noqa: S311 (not for security)
    means = sorted(sum(generator.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES))
    low, high = means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)]
    return Estimate(sum(values) / len(values), len(values), low, high)
