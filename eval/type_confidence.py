"""Calibration of type confidences on excerpts of files, which are harder to classify than whole files."""

from __future__ import annotations

import random
from collections.abc import Iterator

from docyard.facts.classify.decision import classify_type
from docyard.model.stage_values import ExtractedText
from docyard.model.text.pages import Page
from docyard.pipeline.direct import FileResult
from eval.calibration import calibration
from eval.corpus import Sample
from eval.measurement import Run
from eval.truth import true_types

_EXCERPTS = 4  # per file
_MIN_CHARACTERS, _MAX_CHARACTERS = 300, 1_500  # length of an excerpt
_MAX_PAGES = 20  # only the first pages of a file are used


def excerpt_calibration(run: Run) -> str:
    """Return a table of the accuracy of the most likely type of excerpts, by confidence, and the method."""
    judged = [each for sample, done in run.processed for each in _judge_excerpts(sample, done)]
    return f"{calibration('an excerpt', judged)}\n\n{_METHOD}" if judged else ""


_METHOD = (
    "Whole files of these folders are too easy to fill the lower bands. Therefore"
    f" {_EXCERPTS} excerpts of each file are classified too: {_MIN_CHARACTERS} to {_MAX_CHARACTERS:,}"
    f" characters from random positions in its first {_MAX_PAGES} pages, without the file format. Here the"
    " most likely type counts, even if the answer is 'not sure'. Excerpts of one file are similar, so the"
    " intervals are too narrow. Below .5, where the answer is 'not sure', confidences are deliberately too"
    " low: a curve fitted to these excerpts would assign a type to many files that have none, and these"
    " folders contain no such files."
)


def _judge_excerpts(sample: Sample, done: FileResult) -> Iterator[tuple[float, bool]]:
    true = true_types(sample)
    extracted = next((value for value in done.values if isinstance(value, ExtractedText)), None)
    pages = extracted.pages[:_MAX_PAGES] if extracted else ()
    text = "\n".join(page.text for page in pages)
    generator = random.Random(sample.path.name)  # noqa: S311 (not for security)
    for _ in range(_EXCERPTS if true and len(text) > 2 * _MIN_CHARACTERS else 0):
        start = generator.randrange(0, len(text) - _MIN_CHARACTERS)
        excerpt = Page(1, text[start : start + generator.randint(_MIN_CHARACTERS, _MAX_CHARACTERS)])
        verdict = classify_type([excerpt], "text/plain")
        yield verdict.confidence, verdict.likeliest in true
