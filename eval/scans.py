"""Clean scans with known text, each page read by us and by tesseract from the same picture."""

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
from docyard.model.values import Extracted, Fetched
from docyard.pipeline.direct import Processed
from docyard.readers.image_types import PICTURES
from docyard.readers.images import reader as images
from docyard.readers.pdf import reader as pdf
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean
from eval.measurement import Run
from eval.tables import table

Read = Callable[[Any], str]
_SECONDS = 120


def beside_tesseract(run: Run) -> str:
    """Letter errors and CPU seconds a page of each reader, with the words that say what was compared."""
    pages = [page for sample, done in run.processed for page in _pages(sample, done)]
    if not pages:
        return ""
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for picture, true in pages:
        for name, read in _readers().items():
            before = _cpu()
            text = read(picture)
            found[name].append((*_errors(text, true), _cpu() - before))
    note = (
        f"{len(pages)} pages, some turned or slanted, each read from the same picture. Copies count "
        "like different pages. Where each page of a file holds the whole truth, each is compared with it.\n\n"
    )
    heads = (
        "reader",
        "pages",
        "letter errors [95 %]",
        "the same, quotes and dashes typewritten [95 %]",
        "CPU seconds a page [95 %]",
    )
    return note + table(
        heads, ((name, len(each), *map(mean, zip(*each, strict=True))) for name, each in found.items())
    )


def _errors(text: str, true: str) -> tuple[float, float]:
    pairs = ((text, true), (agreement.typewritten(text), agreement.typewritten(true)))
    exact, alike = (min(agreement.letter_errors(*pair), 1.0) for pair in pairs)
    return exact, alike


def _pages(sample: Sample, done: Processed) -> Iterator[tuple[Any, str]]:
    """The picture and the truth of each page that can be compared."""
    if sample.text_truth is None or "scan" not in sample.kind:
        return
    true = sample.text_truth.read_text(errors="replace")
    kind = next((value.media_type for value in done.values if isinstance(value, Fetched)), "")
    texts = [page.text for value in done.values if isinstance(value, Extracted) for page in value.pages]
    if len(texts) != 1 and not agreement.each_is_whole(texts, true):
        return
    for number in range(1, len(texts) + 1):
        if kind == "application/pdf":
            yield pdf.picture(sample.path, number, images.FIT), true
        elif kind in PICTURES:
            yield images.open_page(sample.path, kind, number).image, true


def _readers() -> dict[str, Read]:
    engine = ocr.chosen("paddle")
    readers: dict[str, Read] = {
        "Docyard": lambda picture: "\n".join(
            " ".join(word.text for word in line.words) for line in engine(picture)
        )
    }
    if program := shutil.which("tesseract"):
        readers["tesseract (psm 3)"] = lambda picture: _tesseract(program, picture, "3")
        readers["tesseract (psm 1, finds how a page is turned)"] = lambda picture: _tesseract(
            program, picture, "1"
        )
    return readers


def _tesseract(program: str, picture: Any, layout: str) -> str:
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    done = subprocess.run(
        [program, "stdin", "stdout", "--psm", layout],
        input=file.getvalue(),
        check=False,
        capture_output=True,
        timeout=_SECONDS,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # its threads wait busily: three times the CPU seconds
    )
    return done.stdout.decode(errors="replace")


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
