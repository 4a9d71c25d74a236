"""The type of documents by folder: how often it is right, what is taken for what, and whether it knows"
" how sure it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from docyard.facts.classify.types import DEFAULT_TYPES
from docyard.model.values import Classified
from docyard.pipeline.direct import Processed
from eval.calibration import calibration
from eval.intervals import share
from eval.measurement import Run
from eval.tables import table, text_of
from eval.truth import true_types
from eval.type_confidence import confidence_of_pieces

_IN_VIEW = (
    "Phrases, weights and the curve of confidence were set with these folders in view, and formats tell"
    " most of them: other documents will be taken less surely. Nothing here is held out."
)

Judged = tuple[tuple[str, ...], Classified, str]


def types(run: Run) -> str:
    """The three tables, where folders tell types."""
    judged = [
        (true, verdict, text_of(done))
        for sample, done in run.processed
        if (true := true_types(sample)) and (verdict := _verdict(done)) is not None and text_of(done).strip()
    ]
    if not judged:
        return ""
    unlabelled = [
        verdict
        for sample, done in run.processed
        if not true_types(sample) and (verdict := _verdict(done)) is not None and text_of(done).strip()
    ]
    silent = sum(verdict.type is None for verdict in unlabelled)
    aside = f"Of {len(unlabelled)} files whose folder tells no type, {silent} are 'not sure'."
    return "\n\n".join(
        [_accuracy(judged), _confusion(judged), _how_sure(judged), confidence_of_pieces(run), aside, _IN_VIEW]
    )


def _verdict(done: Processed) -> Classified | None:
    return next((value for value in done.values if isinstance(value, Classified)), None)


def _accuracy(judged: Sequence[Judged]) -> str:
    right = sum(verdict.type in true for true, verdict, _ in judged)
    unsure = sum(verdict.type is None for _, verdict, _ in judged)
    said = len(judged) - unsure
    plain = sum(_most_named(text) in true for true, _, text in judged)
    return table(
        ("classifier", "files", "right [95 %]", "right where it is sure [95 %]", "not sure"),
        [
            ("Docyard", len(judged), share(right, len(judged)), share(right, said), unsure),
            ("the type named most in the text", len(judged), share(plain, len(judged)), "–", "–"),
        ],
    )


def _most_named(text: str) -> str:
    """The baseline: the type whose name the text says most often."""
    folded = text.casefold()
    counts = {
        kind.name: len(re.findall(rf"\b{kind.name.replace('_', ' ')}s?\b", folded)) for kind in DEFAULT_TYPES
    }
    return max(counts, key=lambda name: counts[name])


def _confusion(judged: Sequence[Judged]) -> str:
    counts = Counter((" or ".join(true), verdict.type or "not sure") for true, verdict, _ in judged)
    rows = sorted({true for true, _ in counts})
    columns = sorted({said for _, said in counts})
    return table(
        ("folder says", *columns), [(true, *(counts[true, said] or "" for said in columns)) for true in rows]
    )


def _how_sure(judged: Sequence[Judged]) -> str:
    """A 'not sure' counts as wrong."""
    return calibration("a type", [(told.type_confidence, told.type in true) for true, told, _ in judged])
