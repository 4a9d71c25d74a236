"""How sure a figure is: 95 % intervals for shares and for means."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.96
_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, from how many cases it comes, and between what it lies with 95 % certainty."""

    value: float
    count: int
    low: float
    high: float

    def __str__(self) -> str:
        if not self.count:
            return "–"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def share(hits: int, count: int) -> Estimate:
    """A share of cases, by Wilson's interval, which also holds for few cases and near 0 and 1."""
    if not count:
        return Estimate(0.0, 0, 0.0, 1.0)
    p = hits / count
    middle = (p + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    half = _Z / (1 + _Z**2 / count) * (p * (1 - p) / count + _Z**2 / (4 * count**2)) ** 0.5
    return Estimate(p, count, max(middle - half, 0.0), min(middle + half, 1.0))


def mean(values: Sequence[float]) -> Estimate:
    """A mean, by drawing the cases again and again; the same cases always give the same interval."""
    if not values:
        return Estimate(0.0, 0, 0.0, 0.0)
    chance = random.Random(len(values))  # noqa: S311 (no secret)
    draws = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(_DRAWS))
    return Estimate(
        sum(values) / len(values), len(values), draws[int(0.025 * _DRAWS)], draws[int(0.975 * _DRAWS)]
    )
