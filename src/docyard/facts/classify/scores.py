"""Scores of the types for a document, from its phrases, title, layout and format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docyard.facts.classify.types import DocumentType
from docyard.facts.fields.court.dockets import find_dockets
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.amounts import find_amounts
from docyard.model.stage_values import TypeEvidence
from docyard.model.text.pages import OCR, Page

MAX_CHARS = 16_000
_TITLE_CHARS, _TITLE_LINES = 900, 14
_TOP_FACTOR = 1.3  # for phrases near the beginning
_FORMAT_WEIGHT, _TITLE_WEIGHT = 12.0, 1.8
_RECEIPT_WIDTH = 45
_CONTRARY_CHARS = 2_000  # characters searched for phrases of other types
_PROSE_CHARS = 150  # characters; a longer line is prose


@dataclass(frozen=True, slots=True)
class TypeScore:
    """A type with its score and evidence."""

    kind: DocumentType
    score: float
    evidence: tuple[TypeEvidence, ...]


def score_types(kinds: Sequence[DocumentType], pages: Sequence[Page], media_type: str) -> list[TypeScore]:
    """Return all types with their scores, the highest first."""
    document = DocumentText(pages, MAX_CHARS)
    layout = dict(_rate_layout(document, pages, media_type))
    scored = [_score_type(kind, document, media_type, layout.get(kind.name)) for kind in kinds]
    return sorted(scored, key=lambda each: -each.score)


def _score_type(kind: DocumentType, document: DocumentText, media_type: str, layout: TypeEvidence | None) -> TypeScore:
    titles = list(_match_title(kind, document))
    evidence = [*_match_phrases(kind, document), *titles]
    if media_type in kind.formats:
        evidence.append(TypeEvidence(f"a file of type {media_type}", None, _FORMAT_WEIGHT))
    if layout is not None:
        evidence.append(layout)
    evidence.sort(key=lambda each: -each.weight)
    contrary = 0.0 if titles else _weigh_contrary_phrases(kind, document)
    return TypeScore(kind, sum(each.weight for each in evidence) - contrary, tuple(evidence))


def _weigh_contrary_phrases(kind: DocumentType, document: DocumentText) -> float:
    """Return the total weight of phrases near the beginning that are typical of similar types."""
    return sum(weight for weight, pattern in kind.contrary_patterns if pattern.search(document.text[:_CONTRARY_CHARS]))


def _match_phrases(kind: DocumentType, document: DocumentText) -> Iterator[TypeEvidence]:
    for weight, pattern in kind.patterns:
        match = pattern.search(document.text)
        if match is not None and match[0].strip():
            factor = _TOP_FACTOR if match.start() < _TITLE_CHARS else 1.0
            yield TypeEvidence(" ".join(match[0].split())[:80], document.span(*match.span()), round(weight * factor, 2))


def _match_title(kind: DocumentType, document: DocumentText) -> Iterator[TypeEvidence]:
    """Yield at most one piece of evidence: a short line near the beginning that names the type."""
    if not kind.titles:
        return
    pattern = re.compile(rf"\b(?:{kind.titles})\b", re.IGNORECASE)
    for line in document.lines(_TITLE_LINES):
        match = pattern.search(line.text)
        if match and len(line.text) <= 70 and line.text[:1] not in "-|" and not line.text.endswith((",", ";")):
            span = document.span(line.start, line.end)
            yield TypeEvidence(line.text, span, _TITLE_WEIGHT)
            return


def _rate_layout(document: DocumentText, pages: Sequence[Page], media_type: str) -> Iterator[tuple[str, TypeEvidence]]:
    """Yield evidence for "receipt" (short scanned lines, prices) and for "court_list" (several dockets)."""
    lines = [line.text for line in document.lines(200)]
    if not lines:
        return
    exact = sum(amount.exact for line in lines for amount in find_amounts(line))
    width = sorted(map(len, lines))[len(lines) // 2]
    first = pages[0]
    if len(pages) <= 2 and first.source == OCR and exact >= 3 and width <= _RECEIPT_WIDTH // 1.5:
        narrow = first.height > 1.4 * first.width
        yield "receipt", TypeEvidence("a narrow slip with prices", None, 2.0 if narrow else 1.0)
    dockets = {docket.number for docket in find_dockets(document.text[:MAX_CHARS])}
    if len(dockets) >= 2 and not any(len(line) > _PROSE_CHARS for line in lines[len(lines) // 3 :]):
        bonus = 1.5 if media_type == "text/html" else 0.0
        weight = min(3.0, 0.6 * len(dockets)) + bonus
        yield "court_list", TypeEvidence(f"{len(dockets)} case numbers", None, weight)
