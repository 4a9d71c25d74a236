"""A bar chart as SVG: one panel per question, the median as a bar, min–max as a line over it."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from bench.entries import DOCYARD
from bench.results import BURN, PICKUP, SINGLE, Question, Results

PANELS = (BURN[1], BURN[2], SINGLE, PICKUP[50])
_WIDTH, _LEFT, _RIGHT = 760, 150, 100
_ROW, _HEAD, _GAP = 22, 34, 16
_OURS, _OTHERS, _INK = "#2563eb", "#94a3b8", "#334155"


def chart(results: Results) -> str:
    """The whole picture."""
    parts: list[str] = []
    top = _GAP
    for question in PANELS:
        rows = [name for name in results.contestants if results.median(question, name) is not None]
        if rows:
            parts += _panel(results, question, rows, top)
            top += _HEAD + _ROW * len(rows) + _GAP
    style = f"font-family='system-ui, sans-serif' font-size='13' fill='{_INK}'"
    size = f"width='{_WIDTH}' height='{top}' viewBox='0 0 {_WIDTH} {top}'"
    title = "<title>Queue speed: Docyard and its peers</title>"
    ground = f"<rect width='{_WIDTH}' height='{top}' fill='#ffffff'/>"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' {size} {style} role='img'>"
    return "\n".join([head, title, ground, *parts, "</svg>", ""])


def _panel(results: Results, question: Question, rows: list[str], top: int) -> Iterator[str]:
    more = "more is better" if question.more_is_better else "less is better"
    heading = f"{question.title[:1].upper()}{question.title[1:]} ({question.unit}, {more})"
    yield f"<text x='{_GAP}' y='{top + 16}' font-weight='600'>{escape(heading)}</text>"
    greatest = max(results.spread(question, name)[1] for name in rows)
    scale = (_WIDTH - _LEFT - _RIGHT) / greatest
    for number, name in enumerate(rows):
        yield from _bar(results, question, name, top + _HEAD + number * _ROW, scale)


def _bar(results: Results, question: Question, name: str, y: int, scale: float) -> Iterator[str]:
    median = results.median(question, name) or 0.0
    least, most = (_LEFT + value * scale for value in results.spread(question, name))
    fill = _OURS if name == DOCYARD.name else _OTHERS
    middle = y + _ROW / 2 - 2
    yield f"<text x='{_LEFT - 8}' y='{middle + 4:.0f}' text-anchor='end'>{escape(name)}</text>"
    yield f"<rect x='{_LEFT}' y='{y}' width='{median * scale:.1f}' height='{_ROW - 5}' rx='2' fill='{fill}'/>"
    line = f"x1='{least:.1f}' x2='{most:.1f}' y1='{middle:.1f}' y2='{middle:.1f}'"
    yield f"<line {line} stroke='{_INK}' stroke-width='1.5'/>"
    at = max(most, _LEFT + median * scale) + 6
    yield f"<text x='{at:.1f}' y='{middle + 4:.0f}'>{question.show(median)}</text>"
