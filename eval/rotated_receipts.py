"""How well receipts are read, upright and turned, beside tesseract where it is installed."""

from __future__ import annotations

import io
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from PIL import Image

from docyard.ocr import paddle
from docyard.readers.images import reader as images
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean
from eval.tables import table
from eval.truth import true_text

_Read = Callable[[Any], str]
_TURNS = ("0°", "5°", "90°", "180°", "skewed")
_HEADS = ("turned", "reader", "receipts", "letter errors [95 %]", "word recall [95 %]", "CPU seconds [95 %]")


def turned_table(samples: Sequence[Sample]) -> str:
    """Letter errors, word recall and cost of both, for every way that a receipt may be turned."""
    chosen = [
        sample
        for sample in samples
        if sample.boxes_truth is not None and sample.path.suffix.lower() in (".jpg", ".jpeg", ".png")
    ]
    return table(_HEADS, _rows(chosen)) if chosen else ""


def _rows(samples: Sequence[Sample]) -> Iterator[tuple[object, ...]]:
    readers: dict[str, _Read] = {"Docyard": _ours}
    if program := shutil.which("tesseract"):
        readers["tesseract (psm 6)"] = lambda image: _tesseract(image, program)
    for turn in _TURNS:
        for name, read in readers.items():
            errors, recall, seconds = zip(*(_score(one, turn, read) for one in samples), strict=True)
            yield turn, name, len(samples), mean(errors), mean(recall), mean(seconds)


def _score(sample: Sample, turn: str, read: _Read) -> tuple[float, float, float]:
    image = _turned(images.open_page(sample.path, "image/jpeg", 1).image, turn)
    before = _computed()
    text = read(image)
    seconds = _computed() - before
    true = true_text(sample) or ""
    return min(agreement.letter_errors(text, true), 1.0), agreement.words(text, true).recall, seconds


def _ours(image: Any) -> str:
    return "\n".join(" ".join(word.text for word in line.words) for line in paddle.read(image))


def _tesseract(image: Any, program: str) -> str:
    """What tesseract reads, told that it is one block of lines, which serves receipts best."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    command = [program, "stdin", "stdout", "--psm", "6"]
    environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # its threads wait busily: three times the CPU seconds
    done = subprocess.run(command, input=file.getvalue(), capture_output=True, check=True, env=environ)
    return done.stdout.decode()


def _turned(image: Any, turn: str) -> Any:
    """The picture on a larger white one, turned."""
    if turn == "skewed":
        width, height = image.size
        slanted = (1, 0, 0, -0.05, 1, 0)
        size = (width, height + round(width * 0.05))
        return image.transform(
            size, Image.Transform.AFFINE, slanted, Image.Resampling.BICUBIC, fillcolor="white"
        )
    degrees = float(turn.removesuffix("°"))
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")


def _computed() -> float:
    """Seconds of computing so far, here and in programs that were run."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
