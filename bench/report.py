"""The figures as one table for the terminal, and as the tables of docs/speed.md."""

from __future__ import annotations

from collections.abc import Iterator

from bench.entries import DOCYARD, ENTRIES
from bench.results import Question, Results

_WIDTHS = (20, 14, 26, 10)


def printed(results: Results) -> Iterator[str]:
    """One table: a block per question, a line per contestant."""
    for question in results.asked():
        yield ""
        yield _line(f"{question.title} ({question.unit})", "median", "min–max", "Docyard")
        for name in results.contestants:
            yield _line(f"  {name}", *_cells(results, question, name))
    for name, reason in results.left_out.items():
        yield f"\n{name} is left out: {reason}."
    yield "\nThe last column says how many times better Docyard is: below 1 the other one is."


def _line(first: str, *others: str) -> str:
    return f"{first:<44}" + "".join(
        f"{cell:>{width}}" for cell, width in zip(others, _WIDTHS[1:], strict=True)
    )


def _cells(results: Results, question: Question, name: str) -> tuple[str, str, str]:
    shown = results.shown(question, name)
    if results.median(question, name) is None:
        return shown, "", ""
    least, most = results.spread(question, name)
    lead = results.lead(question, DOCYARD.name, name)
    ratio = f"{lead:.2f} ×" if lead and name != DOCYARD.name else ""
    return shown, f"{question.show(least)}–{question.show(most)}", ratio


def medians(results: Results) -> str:
    """The medians, contestants down and questions across, as Markdown."""
    head = "| | " + " | ".join(f"{q.title}, {q.unit}" for q in results.asked()) + " |"
    rule = "|---" + "|---:" * len(results.asked()) + "|"
    rows = [
        f"| {name} | " + " | ".join(results.shown(question, name) for question in results.asked()) + " |"
        for name in results.contestants
    ]
    return "\n".join([head, rule, *rows])


def details(results: Results) -> str:
    """Medians, spread and ratios, one line each, as Markdown."""
    lines = ["| | median | min–max | Docyard |", "|---|---:|---:|---:|"]
    for question in results.asked():
        lines.append(f"| **{question.title}, {question.unit}** | | | |")
        lines += [
            "| " + " | ".join((name, *_cells(results, question, name))) + " |" for name in results.contestants
        ]
    return "\n".join(lines)


def settings(results: Results) -> str:
    """Who took part, and how, and who did not, as Markdown."""
    lines = []
    for entry in ENTRIES:
        reason = results.left_out.get(entry.name)
        if reason:
            lines.append(f"- {entry.name}: left out; {reason}.")
        elif entry.name in results.contestants:
            lines.append(f"- {entry.name}: {entry.settings}.")
    return "\n".join(lines)
