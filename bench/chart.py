"""SVG bar chart with a panel per metric; bars show the median, lines the range from minimum to maximum."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from bench.entries import DOCYARD
from bench.results import BURN, PICKUP, SINGLE, Metric, Results

PANELS = (BURN[1], BURN[2], SINGLE, PICKUP[50])
_WIDTH, _LEFT, _RIGHT = 760, 150, 100
_ROW, _HEADING, _GAP = 22, 34, 16
_OURS, _OTHERS, _INK = "#2563eb", "#94a3b8", "#334155"


def chart(results: Results) -> str:
    """Return the chart as SVG."""
    parts: list[str] = []
    top = _GAP
    for metric in PANELS:
        rows = [name for name in results.contestants if results.median(metric, name) is not None]
        if rows:
            parts += _draw_panel(results, metric, rows, top)
            top += _HEADING + _ROW * len(rows) + _GAP
    style = f"font-family='system-ui, sans-serif' font-size='13' fill='{_INK}'"
    size = f"width='{_WIDTH}' height='{top}' viewBox='0 0 {_WIDTH} {top}'"
    title = "<title>Queue speed: Docyard and its peers</title>"
    background = f"<rect width='{_WIDTH}' height='{top}' fill='#ffffff'/>"
    start = f"<svg xmlns='http://www.w3.org/2000/svg' {size} {style} role='img'>"
    return "\n".join([start, title, background, *parts, "</svg>", ""])


def _draw_panel(results: Results, metric: Metric, rows: list[str], top: int) -> Iterator[str]:
    better = "higher is better" if metric.higher_is_better else "lower is better"
    heading = f"{metric.title[:1].upper()}{metric.title[1:]} ({metric.unit}, {better})"
    yield f"<text x='{_GAP}' y='{top + 16}' font-weight='600'>{escape(heading)}</text>"
    maximum = max(results.spread(metric, name)[1] for name in rows)
    scale = (_WIDTH - _LEFT - _RIGHT) / maximum
    for number, name in enumerate(rows):
        yield from _draw_bar(results, metric, name, top + _HEADING + number * _ROW, scale)


def _draw_bar(results: Results, metric: Metric, name: str, y: int, scale: float) -> Iterator[str]:
    median = results.median(metric, name) or 0.0
    low, high = (_LEFT + value * scale for value in results.spread(metric, name))
    fill = _OURS if name == DOCYARD.name else _OTHERS
    middle = y + _ROW / 2 - 2
    yield f"<text x='{_LEFT - 8}' y='{middle + 4:.0f}' text-anchor='end'>{escape(name)}</text>"
    yield f"<rect x='{_LEFT}' y='{y}' width='{median * scale:.1f}' height='{_ROW - 5}' rx='2' fill='{fill}'/>"
    line = f"x1='{low:.1f}' x2='{high:.1f}' y1='{middle:.1f}' y2='{middle:.1f}'"
    yield f"<line {line} stroke='{_INK}' stroke-width='1.5'/>"
    label_x = max(high, _LEFT + median * scale) + 6
    yield f"<text x='{label_x:.1f}' y='{middle + 4:.0f}'>{metric.format(median)}</text>"
