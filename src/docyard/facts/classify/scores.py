"""How much the phrases, the layout and the format of a document say for each type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docyard.facts.classify.types import DocumentType
from docyard.facts.fields.court.dockets import dockets_in
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.notation.amounts import find_amounts
from docyard.model.text.pages import OCR, Page
from docyard.model.values import Evidence

LOOKED_AT = 16_000
_TITLE_CHARS, _TITLE_LINES = 900, 14
_IN_TITLE = 1.3  # how much more a phrase says near the beginning
_OF_FORMAT, _OF_TITLE = 12.0, 1.8
_RECEIPT_LINES = 45
_DOUBTED = 2_000  # letters at the beginning, where a document says what it is
_LONG = 150  # letters in a line of prose


@dataclass(frozen=True, slots=True)
class Scored:
    """A type, how much speaks for it, and what."""

    kind: DocumentType
    score: float
    evidence: tuple[Evidence, ...]


def score_all(kinds: Sequence[DocumentType], pages: Sequence[Page], media_type: str) -> list[Scored]:
    """All types, the likeliest first."""
    paper = Paper(pages, LOOKED_AT)
    layout = dict(_layout(paper, pages, media_type))
    scored = [_score(kind, paper, media_type, layout.get(kind.name)) for kind in kinds]
    return sorted(scored, key=lambda each: -each.score)


def _score(kind: DocumentType, paper: Paper, media_type: str, layout: Evidence | None) -> Scored:
    titled = list(_by_title(kind, paper))
    found = [*_by_phrases(kind, paper), *titled]
    if media_type in kind.formats:
        found.append(Evidence(f"a file of type {media_type}", None, _OF_FORMAT))
    if layout is not None:
        found.append(layout)
    found.sort(key=lambda each: -each.weight)
    against = 0.0 if titled else _doubts(kind, paper)
    return Scored(kind, sum(each.weight for each in found) - against, tuple(found))


def _doubts(kind: DocumentType, paper: Paper) -> float:
    """How much says that it is something else that looks so; a title of its own would settle that."""
    return sum(weight for weight, pattern in kind.doubts if pattern.search(paper.text[:_DOUBTED]))


def _by_phrases(kind: DocumentType, paper: Paper) -> Iterator[Evidence]:
    for weight, pattern in kind.patterns:
        match = pattern.search(paper.text)
        if match is not None and match[0].strip():
            near = _IN_TITLE if match.start() < _TITLE_CHARS else 1.0
            yield Evidence(
                " ".join(match[0].split())[:80], paper.span(*match.span()), round(weight * near, 2)
            )


def _by_title(kind: DocumentType, paper: Paper) -> Iterator[Evidence]:
    """A short line near the beginning that says what this is."""
    if not kind.titles:
        return
    pattern = re.compile(rf"\b(?:{kind.titles})\b", re.IGNORECASE)
    for line in paper.lines(_TITLE_LINES):
        match = pattern.search(line.text)
        if (
            match
            and len(line.text) <= 70
            and line.text[:1] not in "-|"
            and not line.text.endswith((",", ";"))
        ):
            span = paper.span(line.start, line.end)
            yield Evidence(line.text, span, _OF_TITLE)
            return


def _layout(paper: Paper, pages: Sequence[Page], media_type: str) -> Iterator[tuple[str, Evidence]]:
    """What the shape of the first page and its figures say."""
    lines = [line.text for line in paper.lines(200)]
    if not lines:
        return
    exact = sum(amount.exact for line in lines for amount in find_amounts(line))
    width = sorted(map(len, lines))[len(lines) // 2]
    first = pages[0]
    if len(pages) <= 2 and first.source == OCR and exact >= 3 and width <= _RECEIPT_LINES // 1.5:
        narrow = first.height > 1.4 * first.width
        yield "receipt", Evidence("a narrow slip with prices", None, 2.0 if narrow else 1.0)
    dockets = {docket.number for docket in dockets_in(paper.text[:LOOKED_AT])}
    if len(dockets) >= 2 and not any(len(line) > _LONG for line in lines[len(lines) // 3 :]):
        published = 1.5 if media_type == "text/html" else 0.0
        weight = min(3.0, 0.6 * len(dockets)) + published
        yield "court_list", Evidence(f"{len(dockets)} case numbers", None, weight)
