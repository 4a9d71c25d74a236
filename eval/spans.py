"""Precision, recall and F1 of spans by kind, with confidence intervals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from eval.intervals import Estimate, share

_RESAMPLES = 1000
Spans = frozenset[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of found and true spans of one kind, over all documents."""

    truths: int
    found: int
    precision: Estimate
    recall: Estimate
    f1: Estimate


def agreement(kind: str, found: Sequence[Spans], truths: Sequence[Spans]) -> Agreement:
    """Compare spans, which agree only if kind and offsets are equal; the F1 interval resamples documents."""
    counts = [_count(kind, *pair) for pair in zip(found, truths, strict=True)]
    correct, ours, true = (sum(each[column] for each in counts) for column in range(3))
    return Agreement(true, ours, share(correct, ours), share(correct, true), _estimate_f1(counts))


def _count(kind: str, found: Spans, truth: Spans) -> tuple[int, int, int]:
    ours = {each for each in found if each[0] == kind}
    true = {each for each in truth if each[0] == kind}
    return len(ours & true), len(ours), len(true)


def _estimate_f1(counts: Sequence[tuple[int, int, int]]) -> Estimate:
    used = [each for each in counts if any(each)]
    generator = random.Random(len(used))  # noqa: S311 (not for security)
    scores = [0.0]
    if used:
        scores = sorted(_f1(generator.choices(used, k=len(used))) for _ in range(_RESAMPLES))
    low, high = scores[int(0.025 * len(scores))], scores[int(0.975 * len(scores))]
    return Estimate(_f1(used), len(used), low, high)


def _f1(counts: Sequence[tuple[int, int, int]]) -> float:
    correct, found, true = (sum(each[column] for each in counts) for column in range(3))
    return 2 * correct / (found + true) if found + true else 0.0
