"""OCR of receipts, compared with tesseract on the same images if it is installed."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from docyard.model.stage_values import ExtractedText
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean
from eval.measurement import Run
from eval.tables import full_text, table
from eval.truth import true_text

_TIMEOUT = 120  # seconds
_IMAGE_SUFFIXES = {".jpg", ".jpeg", ".png", ".tif", ".tiff"}


def compare_with_tesseract(run: Run) -> str:
    """Return a table of character error rate, word recall and time per receipt."""
    chosen = [
        (sample, done)
        for sample, done in run.processed
        if sample.boxes_truth is not None and sample.path.suffix.lower() in _IMAGE_SUFFIXES
    ]
    if not chosen:
        return ""
    true = [true_text(sample) or "" for sample, _ in chosen]
    seconds = [sum(dict(done.seconds).get(stage, 0.0) for stage in ("extract", "ocr")) for _, done in chosen]
    rows = [_make_row("Docyard", [full_text(done) for _, done in chosen], true, seconds)]
    if program := shutil.which("tesseract"):
        texts, cpu_seconds = _read_by_tesseract(program, [sample for sample, _ in chosen])
        rows.append(_make_row("tesseract (psm 6)", texts, true, cpu_seconds))
    read = sum(1 for _, done in chosen if any(isinstance(value, ExtractedText) for value in done.values))
    note = f"{read} of {len(chosen)} were read.\n\n"
    return note + table(
        (
            "reader",
            "receipts",
            "character error rate [95 %]",
            "word recall [95 %]",
            "seconds per page (Docyard: wall, tesseract: CPU) [95 %]",
        ),
        rows,
    )


def _make_row(name: str, found: Sequence[str], true: Sequence[str], seconds: Sequence[float]) -> tuple[object, ...]:
    pairs = list(zip(found, true, strict=True))
    errors = mean([min(agreement.character_error_rate(ours, theirs), 1.0) for ours, theirs in pairs])
    recall = mean([agreement.compare_words(ours, theirs).recall for ours, theirs in pairs])
    return name, len(pairs), errors, recall, mean(seconds)


def _read_by_tesseract(program: str, samples: Sequence[Sample]) -> tuple[list[str], list[float]]:
    texts, seconds = [], []
    for sample in samples:
        before = _children_seconds()
        texts.append(_read(program, sample.path))
        seconds.append(_children_seconds() - before)
    return texts, seconds


def _read(program: str, path: Path) -> str:
    done = subprocess.run(
        [program, str(path), "-", "--psm", "6"],
        check=False,
        capture_output=True,
        timeout=_TIMEOUT,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    return done.stdout.decode(errors="replace")


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
