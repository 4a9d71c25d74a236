"""Clean scans with known text, each page read by Docyard and by tesseract from the same image."""

from __future__ import annotations

import io
import os
import resource
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from docyard import ocr
from docyard.model.stage_values import ExtractedText, FetchedFile
from docyard.pipeline.direct import FileResult
from docyard.readers.image_types import IMAGE_TYPES
from docyard.readers.images import reader as images
from docyard.readers.pdf import reader as pdf
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean
from eval.measurement import Run
from eval.tables import table

Read = Callable[[Any], str]
_TIMEOUT = 120  # seconds


def compare_with_tesseract(run: Run) -> str:
    """Return a table with the character error rates and CPU seconds per page of each reader."""
    pages = [page for sample, done in run.processed for page in _comparable_pages(sample, done)]
    if not pages:
        return ""
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for image, true in pages:
        for name, read in _make_readers().items():
            before = _cpu_seconds()
            text = read(image)
            found[name].append((*_error_rates(text, true), _cpu_seconds() - before))
    note = (
        f"{len(pages)} pages, some rotated or skewed, each read from the same image. Copies count as "
        "separate pages. If each page of a file contains the whole text, each is compared with it.\n\n"
    )
    heads = (
        "reader",
        "pages",
        "character error rate [95 %]",
        "the same with ASCII quotes and dashes [95 %]",
        "CPU seconds per page [95 %]",
    )
    return note + table(heads, ((name, len(each), *map(mean, zip(*each, strict=True))) for name, each in found.items()))


def _error_rates(text: str, true: str) -> tuple[float, float]:
    """Return the character error rates of the text as read, and with normalised typography."""
    pairs = ((text, true), (agreement.normalise_typography(text), agreement.normalise_typography(true)))
    exact, normalised = (min(agreement.character_error_rate(*pair), 1.0) for pair in pairs)
    return exact, normalised


def _comparable_pages(sample: Sample, done: FileResult) -> Iterator[tuple[Any, str]]:
    """Yield image and true text of each page of a scan; nothing if pages contain only parts of the text."""
    if sample.text_truth is None or "scan" not in sample.kind:
        return
    true = sample.text_truth.read_text(errors="replace")
    kind = next((value.media_type for value in done.values if isinstance(value, FetchedFile)), "")
    texts = [page.text for value in done.values if isinstance(value, ExtractedText) for page in value.pages]
    if len(texts) != 1 and not agreement.pages_are_copies(texts, true):
        return
    for number in range(1, len(texts) + 1):
        if kind == "application/pdf":
            yield pdf.render_image(sample.path, number, images.MAX_OUTPUT_SIDE), true
        elif kind in IMAGE_TYPES:
            yield images.decode_page(sample.path, kind, number).image, true


def _make_readers() -> dict[str, Read]:
    engine = ocr.select_engine("paddle")
    readers: dict[str, Read] = {
        "Docyard": lambda image: "\n".join(" ".join(word.text for word in line.words) for line in engine(image))
    }
    if program := shutil.which("tesseract"):
        readers["tesseract (psm 3)"] = lambda image: _read_by_tesseract(program, image, "3")
        readers["tesseract (psm 1, detects the orientation)"] = lambda image: _read_by_tesseract(program, image, "1")
    return readers


def _read_by_tesseract(program: str, image: Any, layout: str) -> str:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    done = subprocess.run(
        [program, "stdin", "stdout", "--psm", layout],
        input=file.getvalue(),
        check=False,
        capture_output=True,
        timeout=_TIMEOUT,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # its threads busy-wait, which triples the CPU seconds
    )
    return done.stdout.decode(errors="replace")


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
