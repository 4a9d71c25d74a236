"""`python -m bench.readers NAME`: a document reader in its own process and environment.

Every input line is a path as JSON. The answer is a JSON line with the text and the wall and CPU time measured
in this process, so that communication is not included.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

Read = Callable[[Path], str]


def main() -> None:
    """Read files until standard input ends."""
    # Packages may print to standard output, so it is redirected to standard error.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    read = READERS[sys.argv[1]]
    for line in sys.stdin:
        answers.write(json.dumps(_read_and_time(read, Path(json.loads(line)))) + "\n")


def _read_and_time(read: Read, path: Path) -> dict[str, Any]:
    started, cpu = time.perf_counter(), time.process_time()
    text, error = "", ""
    try:
        text = read(path)
    except Exception as caught:  # noqa: BLE001 - any error of another project means that the file was not read
        error = f"{type(caught).__name__}: {caught}"
    spent = {"clock": time.perf_counter() - started, "processor": time.process_time() - cpu}
    return {"text": text, "error": error, **spent}


def _read_with_pypdf(path: Path) -> str:
    return "\n".join(page.extract_text() for page in import_module("pypdf").PdfReader(path).pages)


def _read_with_pdfplumber(path: Path) -> str:
    with import_module("pdfplumber").open(path) as document:
        return "\n".join(word["text"] for page in document.pages for word in page.extract_words())


def _read_with_kreuzberg(path: Path) -> str:
    return str(import_module("kreuzberg").extract_file_sync(path).content)


@cache
def _converter() -> Any:
    return import_module("markitdown").MarkItDown()


def _read_with_markitdown(path: Path) -> str:
    return str(_converter().convert(str(path)).text_content)


def _read_with_docyard(path: Path) -> str:
    """Run the stages fetch and extract, without queue and database."""
    from docyard.model.limits import Limits
    from docyard.model.stage_values import ExtractedText, Source
    from docyard.model.stages import StageInput
    from docyard.model.text.markdown import document_markdown
    from docyard.pipeline.children.tasks import run_stage

    source = Source(path, path.name, None, None)
    fetched = run_stage("fetch", StageInput([source], Limits()))
    value = run_stage("extract", StageInput([source, fetched], Limits()))
    return document_markdown(value.pages) if isinstance(value, ExtractedText) else ""


READERS: dict[str, Read] = {
    "pypdf": _read_with_pypdf,
    "pdfplumber": _read_with_pdfplumber,
    "kreuzberg": _read_with_kreuzberg,
    "markitdown": _read_with_markitdown,
    "docyard": _read_with_docyard,
}

if __name__ == "__main__":
    main()
