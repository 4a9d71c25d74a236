"""Tables of the results, for the terminal and for docs/measurements/speed.md."""

from __future__ import annotations

from collections.abc import Iterator

from bench.entries import DOCYARD, ENTRIES
from bench.results import Metric, Results

_WIDTHS = (20, 14, 26, 10)


def format_report(results: Results) -> Iterator[str]:
    """Yield the lines of the table for the terminal, with a block per metric and a line per contestant."""
    for metric in results.measured_metrics():
        yield ""
        yield _line(f"{metric.title} ({metric.unit})", "median", "min–max", "Docyard")
        for name in results.contestants:
            yield _line(f"  {name}", *_cells(results, metric, name))
    for name, reason in results.skipped.items():
        yield f"\n{name} is skipped: {reason}."
    yield "\nThe last column is how many times better Docyard is; below 1, the other one is better."


def _line(first: str, *others: str) -> str:
    return f"{first:<44}" + "".join(f"{cell:>{width}}" for cell, width in zip(others, _WIDTHS[1:], strict=True))


def _cells(results: Results, metric: Metric, name: str) -> tuple[str, str, str]:
    shown = results.describe(metric, name)
    if results.median(metric, name) is None:
        return shown, "", ""
    low, high = results.spread(metric, name)
    lead = results.lead(metric, DOCYARD.name, name)
    ratio = f"{lead:.2f} ×" if lead and name != DOCYARD.name else ""
    return shown, f"{metric.format(low)}–{metric.format(high)}", ratio


def medians(results: Results) -> str:
    """Return a Markdown table of medians, with a row per contestant and a column per metric."""
    header = "| | " + " | ".join(f"{q.title}, {q.unit}" for q in results.measured_metrics()) + " |"
    rule = "|---" + "|---:" * len(results.measured_metrics()) + "|"
    rows = [
        f"| {name} | " + " | ".join(results.describe(metric, name) for metric in results.measured_metrics()) + " |"
        for name in results.contestants
    ]
    return "\n".join([header, rule, *rows])


def details(results: Results) -> str:
    """Return a Markdown table of medians, ranges and ratios."""
    lines = ["| | median | min–max | Docyard |", "|---|---:|---:|---:|"]
    for metric in results.measured_metrics():
        lines.append(f"| **{metric.title}, {metric.unit}** | | | |")
        lines += ["| " + " | ".join((name, *_cells(results, metric, name))) + " |" for name in results.contestants]
    return "\n".join(lines)


def settings(results: Results) -> str:
    """Return a Markdown list of the contestants with their settings, or why they were skipped."""
    lines = []
    for entry in ENTRIES:
        reason = results.skipped.get(entry.name)
        if reason:
            lines.append(f"- {entry.name}: skipped; {reason}.")
        elif entry.name in results.contestants:
            lines.append(f"- {entry.name}: {entry.settings}.")
    return "\n".join(lines)
