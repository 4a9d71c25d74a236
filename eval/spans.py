"""Agreement of found spans with true ones: precision, recall and F1 by kind, with intervals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from eval.intervals import Estimate, share

_DRAWS = 1000
Spans = frozenset[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two sets of spans of one kind agree, over all documents."""

    truths: int
    found: int
    precision: Estimate
    recall: Estimate
    both: Estimate  # F1


def agreement(kind: str, found: Sequence[Spans], truths: Sequence[Spans]) -> Agreement:
    """Only equal spans of the same kind agree; the interval of F1 is drawn over documents."""
    counts = [_counted(kind, *pair) for pair in zip(found, truths, strict=True)]
    right, ours, theirs = (sum(each[at] for each in counts) for at in range(3))
    return Agreement(theirs, ours, share(right, ours), share(right, theirs), _f1(counts))


def _counted(kind: str, found: Spans, truth: Spans) -> tuple[int, int, int]:
    mine = {each for each in found if each[0] == kind}
    true = {each for each in truth if each[0] == kind}
    return len(mine & true), len(mine), len(true)


def _f1(counts: Sequence[tuple[int, int, int]]) -> Estimate:
    telling = [each for each in counts if any(each)]
    chance = random.Random(len(telling))  # noqa: S311 (no secret)
    draws = sorted(_of(chance.choices(telling, k=len(telling))) for _ in range(_DRAWS)) if telling else [0.0]
    low, high = draws[int(0.025 * len(draws))], draws[int(0.975 * len(draws))]
    return Estimate(_of(telling), len(telling), low, high)


def _of(counts: Sequence[tuple[int, int, int]]) -> float:
    right, found, true = (sum(each[at] for each in counts) for at in range(3))
    return 2 * right / (found + true) if found + true else 0.0
