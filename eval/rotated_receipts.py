"""OCR of upright and rotated receipts, compared with tesseract if it is installed."""

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
_ROTATIONS = ("0°", "5°", "90°", "180°", "skewed")
_HEADS = (
    *("rotation", "reader", "receipts", "character error rate [95 %]", "word recall [95 %]"),
    "CPU seconds per receipt [95 %]",
)


def rotation_table(samples: Sequence[Sample]) -> str:
    """Return a table of character error rate, word recall and CPU time for each rotation and reader."""
    chosen = [
        sample
        for sample in samples
        if sample.boxes_truth is not None and sample.path.suffix.lower() in (".jpg", ".jpeg", ".png")
    ]
    return table(_HEADS, _make_rows(chosen)) if chosen else ""


def _make_rows(samples: Sequence[Sample]) -> Iterator[tuple[object, ...]]:
    readers: dict[str, _Read] = {"Docyard": _read_by_docyard}
    if program := shutil.which("tesseract"):
        readers["tesseract (psm 6)"] = lambda image: _read_by_tesseract(image, program)
    for rotation in _ROTATIONS:
        for name, read in readers.items():
            errors, recall, seconds = zip(*(_score(one, rotation, read) for one in samples), strict=True)
            yield rotation, name, len(samples), mean(errors), mean(recall), mean(seconds)


def _score(sample: Sample, rotation: str, read: _Read) -> tuple[float, float, float]:
    image = _rotate(images.decode_page(sample.path, "image/jpeg", 1).image, rotation)
    before = _cpu_seconds()
    text = read(image)
    seconds = _cpu_seconds() - before
    true = true_text(sample) or ""
    return (min(agreement.character_error_rate(text, true), 1.0), agreement.compare_words(text, true).recall, seconds)


def _read_by_docyard(image: Any) -> str:
    return "\n".join(" ".join(word.text for word in line.words) for line in paddle.read(image))


def _read_by_tesseract(image: Any, program: str) -> str:
    """Read an image as one block of lines (psm 6), the best mode for receipts."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    command = [program, "stdin", "stdout", "--psm", "6"]
    environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # its threads busy-wait, which triples the CPU seconds
    done = subprocess.run(command, input=file.getvalue(), capture_output=True, check=True, env=environ)
    return done.stdout.decode()


def _rotate(image: Any, rotation: str) -> Any:
    """Return the image, rotated or skewed, on a white background that is large enough for it."""
    if rotation == "skewed":
        width, height = image.size
        shear = (1, 0, 0, -0.05, 1, 0)
        size = (width, height + round(width * 0.05))
        return image.transform(size, Image.Transform.AFFINE, shear, Image.Resampling.BICUBIC, fillcolor="white")
    degrees = float(rotation.removesuffix("°"))
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")


def _cpu_seconds() -> float:
    """Return the CPU seconds used so far by this process and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
