"""A replacement for the OCR stage, in which the document's name specifies how each page fails."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from docyard.errors import Reject
from docyard.model.stage_values import OcrPage, Source
from docyard.model.stages import StageInput
from docyard.model.text.pages import OCR, Page


def read_or_fail(name: str, stage_input: StageInput) -> OcrPage:
    """Replace `run_stage`: each character of the document's name specifies the result of one page.

    c: crash, h: hang, d: damaged page, m: no OCR engine, n: text with a note, others: text. The page number
    of every call is appended to a file next to the document.
    """
    del name
    source, page = stage_input.get(Source), stage_input.get(Page)
    with (source.path.parent / "tried").open("a") as log:
        log.write(f"{page.number}\n")
    action = source.name[page.number - 1]
    if action == "c":
        os.kill(os.getpid(), signal.SIGSEGV)
    if action == "h":
        threading.Event().wait()
    if action == "d":
        raise Reject("corrupt", "The page is damaged.")
    if action == "m":
        raise Reject("not_installed", "Nothing here can read it.")
    text = f"Page {page.number} of the harbour book."
    note = "Only half of it is there." if action == "n" else None
    return OcrPage(Page(page.number, text, page.width, page.height, source=OCR), note)


def list_attempted_pages(path: Path) -> list[int]:
    """Return the numbers of the pages for which `read_or_fail` was called, in order."""
    log = path.parent / "tried"
    return [int(line) for line in log.read_text().splitlines()] if log.exists() else []
