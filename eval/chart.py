"""SVG chart of the share of time per stage."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

_COLOURS = ("#94a3b8", "#2563eb", "#16a34a", "#d97706", "#9333ea", "#dc2626")
_WIDTH, _BAR, _LINE = 760, 34, 22


def chart(seconds: Mapping[str, float]) -> str:
    """Return one stacked bar with a segment for each stage, and its legend."""
    total = sum(seconds.values()) or 1.0
    height = _BAR + 24 + _LINE * len(seconds)
    parts = []
    left = 0.0
    for number, (stage, spent) in enumerate(seconds.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        width = _WIDTH * spent / total
        parts.append(f"<rect x='{left:.1f}' y='0' width='{width:.1f}' height='{_BAR}' fill='{colour}'/>")
        top = _BAR + 12 + _LINE * number
        parts.append(f"<rect x='0' y='{top}' width='14' height='14' fill='{colour}'/>")
        label = f"{escape(stage)}: {spent / total:.1%} ({spent:,.1f} s)"
        parts.append(f"<text x='22' y='{top + 12}'>{label}</text>")
        left += width
    size = f"width='{_WIDTH}' height='{height}' viewBox='0 0 {_WIDTH} {height}'"
    style = "font-family='system-ui, sans-serif' font-size='13' fill='#334155' role='img'"
    background = f"<rect width='{_WIDTH}' height='{height}' fill='#ffffff'/>"
    start = f"<svg xmlns='http://www.w3.org/2000/svg' {size} {style}>"
    return "\n".join([start, "<title>Share of time per stage</title>", background, *parts, "</svg>", ""])
