"""Court pages: citations beside eyecite's own, and docket numbers and dates against the truth."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from docyard.facts.entities.law.us import load_eyecite
from docyard.facts.entities.recognition import read_mentions
from docyard.model.facts import Mention
from docyard.model.text.pages import Page
from docyard.model.values import Classified, Extracted
from docyard.pipeline.direct import Processed
from eval.corpus import Sample
from eval.intervals import share
from eval.measuring import Run
from eval.tables import table

_LAW = ("citation", "statute")
_WHITE = re.compile(r"\s")


def court_table(run: Run) -> str:
    """Citations of all court documents, then what the records of the listings say."""
    court = [(sample, done) for sample, done in run.processed if "court" in sample.folder and _pages(done)]
    if not court:
        return ""
    return "\n\n".join([_citations([done for _, done in court]), _listings(court)])


def _pages(done: Processed) -> tuple[Page, ...]:
    return next((value.pages for value in done.values if isinstance(value, Extracted)), ())


def _mentions(done: Processed) -> tuple[Mention, ...]:
    language = next((value.language for value in done.values if isinstance(value, Classified)), None)
    return read_mentions(_pages(done), language)


def _citations(documents: Sequence[Processed]) -> str:
    """Every place eyecite finds, whether it is among ours, and what ours find beside it."""
    there = same = more = 0
    for done in documents:
        ours = {each.span for each in _mentions(done) if each.kind in _LAW}
        theirs = {span for page in _pages(done) for span in _of_eyecite(page)}
        touched = [
            span
            for span in theirs
            if any(own.page == span[0] and own.start <= span[1] and span[2] <= own.end for own in ours)
        ]
        there, same = there + len(theirs), same + len(touched)
        more += sum(
            not any(own.page == span[0] and own.start < span[2] and span[1] < own.end for span in theirs)
            for own in ours
        )
    heads = ("court documents", "citations by eyecite", "of them among ours", "ours beside them")
    return table(heads, [(len(documents), there, share(same, there), more)])


def _of_eyecite(page: Page) -> list[tuple[int, int, int]]:
    found = load_eyecite().get_citations(_WHITE.sub(" ", page.text))
    named = (each for each in found if type(each).__name__ not in ("UnknownCitation", "IdCitation"))
    return [(page.number, *each.span()) for each in named]


def _listings(court: Sequence[tuple[Sample, Processed]]) -> str:
    """Docket numbers and dates that the record of a listing names and its text shows."""
    counted = {"case_number": [0, 0], "date": [0, 0]}
    for sample, done in court:
        for path in sample.truths:
            if path.suffix == ".json":
                _count(counted, path, done)
    rows = [(kind, there, share(found, there)) for kind, (found, there) in counted.items()]
    return table(("in listings of courts", "in their records", "found"), rows)


def _count(counted: dict[str, list[int]], path: Path, done: Processed) -> None:
    found = {(each.kind, each.normal) for each in _mentions(done)}
    text = "\n".join(page.text for page in _pages(done))
    for record in json.loads(path.read_text(encoding="utf-8")):
        for number in re.split(r"[,;]\s*", record.get("docket_numbers") or ""):
            if number and number in text:
                counted["case_number"][0] += ("case_number", number.upper()) in found
                counted["case_number"][1] += 1
        if record.get("case_dates"):
            counted["date"][0] += ("date", record["case_dates"]) in found
            counted["date"][1] += 1
