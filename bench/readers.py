"""`python -m bench.readers NAME`: a reader of documents in a process of its own, asked line by line.

Every line names a file; the answer is a line of JSON with what was read and what it took by this process's
own clock and processor, so that nothing of the asking counts. It runs in the environment of its reader.
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
    """Answer until nobody asks any more."""
    # What a package prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    read = READERS[sys.argv[1]]
    for line in sys.stdin:
        answers.write(json.dumps(_answer(read, Path(json.loads(line)))) + "\n")


def _answer(read: Read, path: Path) -> dict[str, Any]:
    began, busy = time.perf_counter(), time.process_time()
    text, error = "", ""
    try:
        text = read(path)
    except Exception as caught:  # noqa: BLE001 - another project's errors count as files it does not read
        error = f"{type(caught).__name__}: {caught}"
    spent = {"clock": time.perf_counter() - began, "processor": time.process_time() - busy}
    return {"text": text, "error": error, **spent}


def _pypdf(path: Path) -> str:
    return "\n".join(page.extract_text() for page in import_module("pypdf").PdfReader(path).pages)


def _pdfplumber(path: Path) -> str:
    with import_module("pdfplumber").open(path) as document:
        return "\n".join(word["text"] for page in document.pages for word in page.extract_words())


def _kreuzberg(path: Path) -> str:
    return str(import_module("kreuzberg").extract_file_sync(path).content)


@cache
def _converter() -> Any:
    return import_module("markitdown").MarkItDown()


def _markitdown(path: Path) -> str:
    return str(_converter().convert(str(path)).text_content)


def _docyard(path: Path) -> str:
    """Ours, without queue and database: the two stages that know what a file says."""
    from docyard.model.limits import Limits
    from docyard.model.stages import Given
    from docyard.model.text.markdown import document_markdown
    from docyard.model.values import Extracted, Source
    from docyard.pipeline.children.tasks import run_stage

    source = Source(path, path.name, None, None)
    fetched = run_stage("fetch", Given([source], Limits()))
    value = run_stage("extract", Given([source, fetched], Limits()))
    return document_markdown(value.pages) if isinstance(value, Extracted) else ""


READERS: dict[str, Read] = {
    "pypdf": _pypdf,
    "pdfplumber": _pdfplumber,
    "kreuzberg": _kreuzberg,
    "markitdown": _markitdown,
    "docyard": _docyard,
}

if __name__ == "__main__":
    main()
