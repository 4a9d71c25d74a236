"""Charts as shapes to draw; the template turns them into SVG with labels in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 150
_LEFT, _TOP, _BOTTOM = 56, 12, 30
_GROUND, _ROOM = HEIGHT - _BOTTOM, HEIGHT - _BOTTOM - _TOP


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, with what it says."""

    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True, slots=True)
class Label:
    """A word on an axis; `anchor` says which end of it stands there."""

    x: float
    y: float
    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars over time, with a line at the top, the middle and the ground."""

    summary: str
    bars: list[Bar]
    labels: list[Label]
    lines: list[float]
    left: int = _LEFT
    width: int = WIDTH
    height: int = HEIGHT


def half_hours(counts: Sequence[int], what: str) -> BarChart:
    """Counts of the last half hours, the oldest first."""
    most, steps = max(counts, default=0), max(1, len(counts))
    top, step = _round_up(most), (WIDTH - _LEFT) / steps
    bars = [_bar(count, place, steps, step, top) for place, count in enumerate(counts)]
    noun = what if sum(counts) == 1 else f"{what}s"
    summary = f"{sum(counts):,} {noun} in the last {steps // 2} hours, at most {most:,} in half an hour."
    return BarChart(summary, bars, _labels(top, steps), [_TOP, _TOP + _ROOM / 2, _GROUND])


def _bar(count: int, place: int, steps: int, step: float, top: int) -> Bar:
    high = _ROOM * count / top
    return Bar(_LEFT + place * step + 1, _GROUND - high, step - 2, high, f"{_ago(steps - place)}: {count:,}")


def _ago(steps: int) -> str:
    return "In the last half hour" if steps == 1 else f"{steps / 2:g} to {(steps - 1) / 2:g} hours ago"


def _labels(top: int, steps: int) -> list[Label]:
    under = HEIGHT - 7
    beside = [Label(_LEFT - 8, _TOP + 4, "end", f"{top:,}"), Label(_LEFT - 8, _GROUND + 4, "end", "0")]
    hours = steps // 2
    below = [Label(_LEFT, under, "start", f"{hours} h ago"), Label(WIDTH, under, "end", "now")]
    middle = Label((WIDTH + _LEFT) / 2, under, "middle", f"{hours // 2} h ago")
    return [*beside, *below, middle]


def _round_up(count: int) -> int:
    """A round number at or above, so that the axis is easy to read."""
    size = 1
    while True:
        for nice in (1, 2, 5):
            if nice * size >= count:
                return max(4, nice * size) if size == 1 else nice * size
        size *= 10
