"""Document types: accuracy, confusion matrix and calibration; the kind of a file determines its true type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from docyard.facts.classify.types import DEFAULT_TYPES
from docyard.model.stage_values import Classification
from docyard.pipeline.direct import FileResult
from eval.calibration import calibration
from eval.intervals import share
from eval.measurement import Run
from eval.tables import full_text, table
from eval.truth import true_types
from eval.type_confidence import excerpt_calibration

_CAVEAT = (
    "Phrases, weights and the confidence curve were tuned on these folders, and the file format alone"
    " determines most of the types. Results on other documents will be worse. Nothing here is held out."
)

Judged = tuple[tuple[str, ...], Classification, str]


def types(run: Run) -> str:
    """Return tables of accuracy, confusion and calibration; empty if no sample has a known type."""
    judged = [
        (true, verdict, full_text(done))
        for sample, done in run.processed
        if (true := true_types(sample)) and (verdict := _verdict(done)) is not None and full_text(done).strip()
    ]
    if not judged:
        return ""
    unlabelled = [
        verdict
        for sample, done in run.processed
        if not true_types(sample) and (verdict := _verdict(done)) is not None and full_text(done).strip()
    ]
    unsure = sum(verdict.type is None for verdict in unlabelled)
    note = f"Of {len(unlabelled)} files whose kind does not determine a type, {unsure} are 'not sure'."
    tables = [_accuracy(judged), _confusion(judged), _calibration(judged), excerpt_calibration(run)]
    return "\n\n".join([*tables, note, _CAVEAT])


def _verdict(done: FileResult) -> Classification | None:
    return next((value for value in done.values if isinstance(value, Classification)), None)


def _accuracy(judged: Sequence[Judged]) -> str:
    correct = sum(verdict.type in true for true, verdict, _ in judged)
    unsure = sum(verdict.type is None for _, verdict, _ in judged)
    assigned = len(judged) - unsure
    baseline = sum(_most_named(text) in true for true, _, text in judged)
    return table(
        ("classifier", "files", "correct [95 %]", "correct where a type was assigned [95 %]", "not sure"),
        [
            ("Docyard", len(judged), share(correct, len(judged)), share(correct, assigned), unsure),
            ("type named most often in the text", len(judged), share(baseline, len(judged)), "–", "–"),
        ],
    )


def _most_named(text: str) -> str:
    """Return the baseline: the type whose name appears most often in the text."""
    folded = text.casefold()
    counts = {kind.name: len(re.findall(rf"\b{kind.name.replace('_', ' ')}s?\b", folded)) for kind in DEFAULT_TYPES}
    return max(counts, key=lambda name: counts[name])


def _confusion(judged: Sequence[Judged]) -> str:
    counts = Counter((" or ".join(true), verdict.type or "not sure") for true, verdict, _ in judged)
    rows = sorted({true for true, _ in counts})
    columns = sorted({answer for _, answer in counts})
    return table(
        ("type by kind of file", *columns),
        [(true, *(counts[true, answer] or "" for answer in columns)) for true in rows],
    )


def _calibration(judged: Sequence[Judged]) -> str:
    """Return the calibration table; 'not sure' counts as wrong."""
    answers = [(verdict.type_confidence, verdict.type in true) for true, verdict, _ in judged]
    return calibration("a type", answers)
