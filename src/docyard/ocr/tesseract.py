"""The engine of tesseract, where that program is installed."""

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
from docyard.ocr.lines import SeenLine, SeenWord

_PROGRAM = "tesseract"
_LINE = itemgetter("block_num", "par_num", "line_num")
_WORD_LEVEL = "5"


def missing() -> str | None:
    """What is not there, in words."""
    return None if shutil.which(_PROGRAM) else f"the program {_PROGRAM}"


def read(picture: Any) -> list[SeenLine]:
    """The lines of a picture, in the order tesseract gives; it finds out itself how the page is turned."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    command = [shutil.which(_PROGRAM) or _PROGRAM, "stdin", "stdout", "--psm", "1", "tsv"]
    # A child has one core's worth of time, and tesseract's threads wait for each other busily.
    environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, input=file.getvalue(), capture_output=True, check=False, env=environ)
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        raise Reject("corrupt", f"tesseract could not read the page: {words[0][:200]}")
    return _lines(done.stdout.decode(errors="replace"))


def _lines(table: str) -> list[SeenLine]:
    rows = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = (row for row in rows if row["level"] == _WORD_LEVEL and row["text"].strip())
    lines: list[SeenLine] = []
    paragraph = None
    for (block, par, _), line in groupby(words, _LINE):
        lines.append(SeenLine(tuple(map(_word, line)), gap=bool(lines) and (block, par) != paragraph))
        paragraph = (block, par)
    return lines


def _word(row: dict[str, str]) -> SeenWord:
    left, top, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
    sure = min(max(float(row["conf"]) / 100, 0.0), 1.0)
    return SeenWord(row["text"].strip(), left, top, left + width, top + height, sure)
