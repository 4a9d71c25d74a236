"""The verdict on a document's type: how sure it is, and 'not sure' where it is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docyard.facts.classify.meaning import nearness
from docyard.facts.classify.scores import LOOKED_AT, Scored, score_all
from docyard.facts.classify.types import DEFAULT_TYPES, DocumentType
from docyard.model.text.pages import Page
from docyard.model.values import Evidence

# A logistic curve, less steep than the one that fits our labelled corpus: other documents are less clear.
_BASE, _OF_SCORE, _OF_LEAD = -5.0, 1.0, 1.3
_HIGHEST_SCORE, _HIGHEST_LEAD = 6.0, 4.0
_CLEAR_SCORE, _CLEAR_LEAD = 4.0, 1.5  # then nobody asks for the meaning
_HIGHEST = 0.99
_OF_MEANING, _OF_MEANING_ALONE = 0.7, 0.5
_WORTH_SAYING = 0.5
SURE_ENOUGH = 0.5
_MOST_EVIDENCE = 6
_MOST_RIVALS, _EVIDENCE_OF_RIVAL = 3, 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """The likeliest type, how sure, what speaks for it; `kind` is None for 'not sure', and the evidence
    that of the likeliest types."""

    kind: str | None
    confidence: float
    evidence: tuple[Evidence, ...]
    likeliest: str | None = None


def type_of(pages: Sequence[Page], media_type: str, kinds: Sequence[DocumentType] = DEFAULT_TYPES) -> Verdict:
    """What a document is."""
    scored = score_all(kinds, pages, media_type)
    if not scored:
        return Verdict(None, 0.0, ())
    if not _is_clear(scored):
        scored = _with_meaning(scored, kinds, pages)
    best = scored[0]
    if best.score <= 0:
        return Verdict(None, 0.0, ())
    confidence = _confidence(best.score, best.score - (scored[1].score if len(scored) > 1 else 0.0))
    if confidence < SURE_ENOUGH:
        return Verdict(None, confidence, _torn(scored), best.kind.name)
    return Verdict(best.kind.name, confidence, _spoken(best, _MOST_EVIDENCE), best.kind.name)


def _torn(scored: Sequence[Scored]) -> tuple[Evidence, ...]:
    """What speaks for the types that it might be; what is far behind the likeliest is none of them."""
    told = [each for each in scored if each.evidence and each.score >= scored[0].score / 2]
    return tuple(evidence for each in told[:_MOST_RIVALS] for evidence in _spoken(each, _EVIDENCE_OF_RIVAL))


def _spoken(scored: Scored, most: int) -> tuple[Evidence, ...]:
    return tuple(replace(each, kind=scored.kind.name) for each in scored.evidence[:most])


def _is_clear(scored: Sequence[Scored]) -> bool:
    lead = scored[0].score - (scored[1].score if len(scored) > 1 else 0.0)
    return scored[0].score >= _CLEAR_SCORE and lead >= _CLEAR_LEAD


def _with_meaning(
    scored: Sequence[Scored], kinds: Sequence[DocumentType], pages: Sequence[Page]
) -> list[Scored]:
    near = nearness(kinds, "\n".join(page.text for page in pages[:3])[:LOOKED_AT])
    moved = [_moved(each, near.get(each.kind.name, 0.0)) for each in scored]
    return sorted(moved, key=lambda each: -each.score)


def _moved(scored: Scored, nearness: float) -> Scored:
    """Meaning alone says less than together with a phrase."""
    weight = round((_OF_MEANING if scored.evidence else _OF_MEANING_ALONE) * nearness, 2)
    evidence = scored.evidence
    if weight > _WORTH_SAYING:
        evidence = (*evidence, Evidence(f"it reads like: {scored.kind.description}", None, weight))
    return replace(scored, score=scored.score + weight, evidence=evidence)


def _confidence(score: float, lead: float) -> float:
    logit = _BASE + _OF_SCORE * min(score, _HIGHEST_SCORE) + _OF_LEAD * min(lead, _HIGHEST_LEAD)
    return round(min(1 / (1 + math.exp(-logit)), _HIGHEST), 2)
