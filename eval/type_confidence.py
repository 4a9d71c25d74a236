"""Whether the confidence of a type is honest, on files and on pieces of them that are harder to tell."""

from __future__ import annotations

import random
from collections.abc import Iterator

from docyard.facts.classify.decision import classify_type
from docyard.model.text.pages import Page
from docyard.model.values import Extracted
from docyard.pipeline.direct import Processed
from eval.calibration import calibration
from eval.corpus import Sample
from eval.measuring import Run
from eval.truth import true_types

_PIECES, _SHORTEST, _LONGEST, _MOST_PAGES = 4, 300, 1_500, 20  # of each file; letters; letters; pages


def confidence_of_pieces(run: Run) -> str:
    """How often the likeliest type of a piece is right, by how sure the engine is of it."""
    judged = [each for sample, done in run.processed for each in _judged(sample, done)]
    return f"{calibration('a piece', judged)}\n\n{_HOW}" if judged else ""


_HOW = (
    "Whole files of these folders are too easy to fill the lower bands, so"
    f" {_PIECES} pieces of each, {_SHORTEST} to {_LONGEST:,} letters from anywhere in its first"
    f" {_MOST_PAGES} pages and without its format, are asked too; here the likeliest type counts, also where"
    " the answer is 'not sure'. Pieces of one file are alike, so that the intervals are too narrow. Below .5,"
    " where the answer is 'not sure', the confidence is too modest on purpose: a curve that fits these pieces"
    " would give a type to many files that are of none, which these folders lack."
)


def _judged(sample: Sample, done: Processed) -> Iterator[tuple[float, bool]]:
    true = true_types(sample)
    extracted = next((value for value in done.values if isinstance(value, Extracted)), None)
    pages = extracted.pages[:_MOST_PAGES] if extracted else ()
    text = "\n".join(page.text for page in pages)
    chance = random.Random(sample.path.name)  # noqa: S311 (no secret)
    for _ in range(_PIECES if true and len(text) > 2 * _SHORTEST else 0):
        start = chance.randrange(0, len(text) - _SHORTEST)
        piece = Page(1, text[start : start + chance.randint(_SHORTEST, _LONGEST)])
        verdict = classify_type([piece], "text/plain")
        yield verdict.confidence, verdict.likeliest in true
