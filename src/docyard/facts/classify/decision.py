"""The decision on a document's type, with its confidence and evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docyard.facts.classify.scores import MAX_CHARS, TypeScore, score_types
from docyard.facts.classify.semantic_similarity import compare_with_types
from docyard.facts.classify.types import DEFAULT_TYPES, DocumentType
from docyard.model.stage_values import TypeEvidence
from docyard.model.text.pages import Page

# Coefficients of a logistic curve. It is flatter than the one that fits our labelled corpus, because other
# documents are less clear.
_INTERCEPT, _SCORE_FACTOR, _LEAD_FACTOR = -5.0, 1.0, 1.3
_MAX_SCORE, _MAX_LEAD = 6.0, 4.0
_CLEAR_SCORE, _CLEAR_LEAD = 4.0, 1.5  # if both are reached, semantic similarity is not computed
_MAX_CONFIDENCE = 0.99
_SEMANTIC_FACTOR, _SEMANTIC_ONLY_FACTOR = 0.7, 0.5
_MIN_SEMANTIC_EVIDENCE = 0.5
MIN_CONFIDENCE = 0.5
_MAX_EVIDENCE = 6
_MAX_CANDIDATES, _MAX_CANDIDATE_EVIDENCE = 3, 3


@dataclass(frozen=True, slots=True)
class TypeDecision:
    """The chosen type with its confidence and evidence.

    `kind` is None if the type is uncertain; `evidence` then supports the most likely types.
    """

    kind: str | None
    confidence: float
    evidence: tuple[TypeEvidence, ...]
    likeliest: str | None = None


def classify_type(
    pages: Sequence[Page], media_type: str, kinds: Sequence[DocumentType] = DEFAULT_TYPES
) -> TypeDecision:
    """Decide on a document's type; the decision has no `kind` if its confidence is below `MIN_CONFIDENCE`."""
    scored = score_types(kinds, pages, media_type)
    if not scored:
        return TypeDecision(None, 0.0, ())
    if not _is_clear(scored):
        scored = _add_semantic_scores(scored, kinds, pages)
    best = scored[0]
    if best.score <= 0:
        return TypeDecision(None, 0.0, ())
    confidence = _compute_confidence(best.score, best.score - (scored[1].score if len(scored) > 1 else 0.0))
    if confidence < MIN_CONFIDENCE:
        return TypeDecision(None, confidence, _collect_candidate_evidence(scored), best.kind.name)
    return TypeDecision(best.kind.name, confidence, _select_evidence(best, _MAX_EVIDENCE), best.kind.name)


def _collect_candidate_evidence(scored: Sequence[TypeScore]) -> tuple[TypeEvidence, ...]:
    """Return evidence for up to three types that score at least half as much as the best type."""
    candidates = [each for each in scored if each.evidence and each.score >= scored[0].score / 2]
    return tuple(
        evidence
        for each in candidates[:_MAX_CANDIDATES]
        for evidence in _select_evidence(each, _MAX_CANDIDATE_EVIDENCE)
    )


def _select_evidence(scored: TypeScore, limit: int) -> tuple[TypeEvidence, ...]:
    return tuple(replace(each, kind=scored.kind.name) for each in scored.evidence[:limit])


def _is_clear(scored: Sequence[TypeScore]) -> bool:
    lead = scored[0].score - (scored[1].score if len(scored) > 1 else 0.0)
    return scored[0].score >= _CLEAR_SCORE and lead >= _CLEAR_LEAD


def _add_semantic_scores(
    scored: Sequence[TypeScore], kinds: Sequence[DocumentType], pages: Sequence[Page]
) -> list[TypeScore]:
    similarities = compare_with_types(kinds, "\n".join(page.text for page in pages[:3])[:MAX_CHARS])
    adjusted = [_add_semantic_score(each, similarities.get(each.kind.name, 0.0)) for each in scored]
    return sorted(adjusted, key=lambda each: -each.score)


def _add_semantic_score(scored: TypeScore, similarity: float) -> TypeScore:
    """Add a type's semantic similarity to its score; it counts less without other evidence."""
    weight = round((_SEMANTIC_FACTOR if scored.evidence else _SEMANTIC_ONLY_FACTOR) * similarity, 2)
    evidence = scored.evidence
    if weight > _MIN_SEMANTIC_EVIDENCE:
        evidence = (*evidence, TypeEvidence(f"it reads like: {scored.kind.description}", None, weight))
    return replace(scored, score=scored.score + weight, evidence=evidence)


def _compute_confidence(score: float, lead: float) -> float:
    logit = _INTERCEPT + _SCORE_FACTOR * min(score, _MAX_SCORE) + _LEAD_FACTOR * min(lead, _MAX_LEAD)
    return round(min(1 / (1 + math.exp(-logit)), _MAX_CONFIDENCE), 2)
