"""Geometry of bar charts; the template draws them as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 150
_LEFT, _TOP, _BOTTOM = 56, 12, 30
_BASELINE, _PLOT_HEIGHT = HEIGHT - _BOTTOM, HEIGHT - _BOTTOM - _TOP


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with its tooltip."""

    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True, slots=True)
class Label:
    """A label on an axis; `anchor` is the SVG text-anchor at (x, y)."""

    x: float
    y: float
    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars over time, with grid lines at the top, middle and baseline."""

    summary: str
    bars: list[Bar]
    labels: list[Label]
    lines: list[float]
    left: int = _LEFT
    width: int = WIDTH
    height: int = HEIGHT


def half_hour_chart(counts: Sequence[int], what: str) -> BarChart:
    """Return a chart of counts per half hour, oldest first; `what` is the singular noun for the counts."""
    most, steps = max(counts, default=0), max(1, len(counts))
    top, step = _round_up(most), (WIDTH - _LEFT) / steps
    bars = [_make_bar(count, index, steps, step, top) for index, count in enumerate(counts)]
    noun = what if sum(counts) == 1 else f"{what}s"
    summary = f"{sum(counts):,} {noun} in the last {steps // 2} hours, at most {most:,} in half an hour."
    return BarChart(summary, bars, _make_labels(top, steps), [_TOP, _TOP + _PLOT_HEIGHT / 2, _BASELINE])


def _make_bar(count: int, index: int, steps: int, step: float, top: int) -> Bar:
    height = _PLOT_HEIGHT * count / top
    tooltip = f"{_format_period(steps - index)}: {count:,}"
    return Bar(_LEFT + index * step + 1, _BASELINE - height, step - 2, height, tooltip)


def _format_period(steps: int) -> str:
    return "In the last half hour" if steps == 1 else f"{steps / 2:g} to {(steps - 1) / 2:g} hours ago"


def _make_labels(top: int, steps: int) -> list[Label]:
    bottom = HEIGHT - 7
    y_axis = [Label(_LEFT - 8, _TOP + 4, "end", f"{top:,}"), Label(_LEFT - 8, _BASELINE + 4, "end", "0")]
    hours = steps // 2
    x_axis = [Label(_LEFT, bottom, "start", f"{hours} h ago"), Label(WIDTH, bottom, "end", "now")]
    middle = Label((WIDTH + _LEFT) / 2, bottom, "middle", f"{hours // 2} h ago")
    return [*y_axis, *x_axis, middle]


def _round_up(count: int) -> int:
    """Return the smallest product of 1, 2 or 5 and a power of ten that is at least `count`; never below 4."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if factor * size >= count:
                return max(4, factor * size) if size == 1 else factor * size
        size *= 10
