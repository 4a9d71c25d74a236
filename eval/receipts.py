"""Receipts read by tesseract on the same images, where that program is installed."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from docyard.model.values import Extracted
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean
from eval.measurement import Run
from eval.tables import table, text_of
from eval.truth import true_text

_SECONDS = 120
_BOTH_READ = {".jpg", ".jpeg", ".png", ".tif", ".tiff"}


def beside_tesseract(run: Run) -> str:
    """Letter errors and word recall of both on all receipts."""
    chosen = [
        (sample, done)
        for sample, done in run.processed
        if sample.boxes_truth is not None and sample.path.suffix.lower() in _BOTH_READ
    ]
    if not chosen:
        return ""
    true = [true_text(sample) or "" for sample, _ in chosen]
    seconds = [sum(dict(done.seconds).get(stage, 0.0) for stage in ("extract", "ocr")) for _, done in chosen]
    rows = [_row("Docyard", [text_of(done) for _, done in chosen], true, seconds)]
    if program := shutil.which("tesseract"):
        texts, spent = _tesseract(program, [sample for sample, _ in chosen])
        rows.append(_row("tesseract (psm 6)", texts, true, spent))
    read = sum(1 for _, done in chosen if any(isinstance(value, Extracted) for value in done.values))
    note = f"{read} of {len(chosen)} were read.\n\n"
    return note + table(
        (
            "reader",
            "receipts",
            "letter errors [95 %]",
            "word recall [95 %]",
            "seconds a page (ours by the clock) [95 %]",
        ),
        rows,
    )


def _row(
    name: str, found: Sequence[str], true: Sequence[str], seconds: Sequence[float]
) -> tuple[object, ...]:
    pairs = list(zip(found, true, strict=True))
    errors = mean([min(agreement.letter_errors(ours, theirs), 1.0) for ours, theirs in pairs])
    recall = mean([agreement.words(ours, theirs).recall for ours, theirs in pairs])
    return name, len(pairs), errors, recall, mean(seconds)


def _tesseract(program: str, samples: Sequence[Sample]) -> tuple[list[str], list[float]]:
    texts, spent = [], []
    for sample in samples:
        before = _children_seconds()
        texts.append(_read(program, sample.path))
        spent.append(_children_seconds() - before)
    return texts, spent


def _read(program: str, path: Path) -> str:
    done = subprocess.run(
        [program, str(path), "-", "--psm", "6"],
        check=False,
        capture_output=True,
        timeout=_SECONDS,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    return done.stdout.decode(errors="replace")


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
