"""Court documents: citations compared with eyecite, and docket numbers and dates with the ground truth."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from docyard.facts.entities.law.us import load_eyecite
from docyard.facts.entities.recognition import read_mentions
from docyard.model.facts import Mention
from docyard.model.stage_values import Classification, ExtractedText
from docyard.model.text.pages import Page
from docyard.pipeline.direct import FileResult
from eval.corpus import Sample
from eval.intervals import share
from eval.measurement import Run
from eval.tables import table

_LAW = ("citation", "statute")
_WHITE_SPACE = re.compile(r"\s")


def court_table(run: Run) -> str:
    """Return a table of citations in all court documents, and one of the records of court listings."""
    court = [(sample, done) for sample, done in run.processed if "court" in sample.folder and _pages(done)]
    if not court:
        return ""
    return "\n\n".join([_citations([done for _, done in court]), _listings(court)])


def _pages(done: FileResult) -> tuple[Page, ...]:
    return next((value.pages for value in done.values if isinstance(value, ExtractedText)), ())


def _mentions(done: FileResult) -> tuple[Mention, ...]:
    classified = next((value for value in done.values if isinstance(value, Classification)), None)
    return read_mentions(_pages(done), classified.language, classified.type) if classified else ()


def _citations(documents: Sequence[FileResult]) -> str:
    """Return a table that counts the citations found by eyecite, those also found by Docyard, and Docyard's own."""
    expected = covered = additional = 0
    for done in documents:
        ours = {each.span for each in _mentions(done) if each.kind in _LAW}
        theirs = {span for page in _pages(done) for span in _find_by_eyecite(page)}
        both = [
            span
            for span in theirs
            if any(own.page == span[0] and own.start <= span[1] and span[2] <= own.end for own in ours)
        ]
        expected, covered = expected + len(theirs), covered + len(both)
        additional += sum(
            not any(own.page == span[0] and own.start < span[2] and span[1] < own.end for span in theirs)
            for own in ours
        )
    heads = ("court documents", "citations found by eyecite", "of these found by Docyard", "only by Docyard")
    return table(heads, [(len(documents), expected, share(covered, expected), additional)])


def _find_by_eyecite(page: Page) -> list[tuple[int, int, int]]:
    found = load_eyecite().get_citations(_WHITE_SPACE.sub(" ", page.text))
    named = (each for each in found if type(each).__name__ not in ("UnknownCitation", "IdCitation"))
    return [(page.number, *each.span()) for each in named]


def _listings(court: Sequence[tuple[Sample, FileResult]]) -> str:
    """Return a table of the docket numbers and dates in the listings' records, and the share found."""
    counted = {"case_number": [0, 0], "date": [0, 0]}
    for sample, done in court:
        for path in sample.truths:
            if path.suffix == ".json":
                _count(counted, path, done)
    rows = [(kind, true, share(found, true)) for kind, (found, true) in counted.items()]
    return table(("kind in court listings", "in their records", "found [95 %]"), rows)


def _count(counted: dict[str, list[int]], path: Path, done: FileResult) -> None:
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
