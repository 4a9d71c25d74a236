"""The OCR engine that runs the program tesseract."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from itertools import groupby
from operator import itemgetter
from typing import Any

from docyard.errors import Reject
from docyard.ocr.lines import OcrLine, OcrWord

_PROGRAM = "tesseract"
_line_key = itemgetter("block_num", "par_num", "line_num")
_WORD_LEVEL = "5"


def find_missing() -> str | None:
    """Return what must be installed before the engine can run, or None if nothing is missing."""
    return None if shutil.which(_PROGRAM) else f"the program {_PROGRAM}"


def read(image: Any) -> list[OcrLine]:
    """Return the lines of an image in tesseract's order; tesseract detects the orientation of the page."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    command = [shutil.which(_PROGRAM) or _PROGRAM, "stdin", "stdout", "--psm", "1", "tsv"]
    # A child process may use only one core, and tesseract's threads busy-wait for each other.
    environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, input=file.getvalue(), capture_output=True, check=False, env=environ)
    if done.returncode:
        reasons = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        raise Reject("corrupt", f"tesseract could not read the page: {reasons[0][:200]}")
    return _parse_lines(done.stdout.decode(errors="replace"))


def _parse_lines(table: str) -> list[OcrLine]:
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = (row for row in rows if row["level"] == _WORD_LEVEL and row["text"].strip())
    lines: list[OcrLine] = []
    paragraph = None
    for (block, par, _), line in groupby(words, _line_key):
        lines.append(OcrLine(tuple(map(_parse_word, line)), gap=bool(lines) and (block, par) != paragraph))
        paragraph = (block, par)
    return lines


def _parse_word(row: dict[str, str]) -> OcrWord:
    left, top, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
    confidence = min(max(float(row["conf"]) / 100, 0.0), 1.0)
    return OcrWord(row["text"].strip(), left, top, left + width, top + height, confidence)
