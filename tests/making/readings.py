"""Pages that go wrong in a child while the others are read; what a page does is written in its file name."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from docyard.errors import Reject
from docyard.model.stages import Given
from docyard.model.text.pages import OCR, Page
from docyard.model.values import PageRead, Source


def read_or_fail(name: str, given: Given) -> PageRead:
    """Stands in for run_stage: the document's name says what each page does, one letter a page.

    Every call is written down beside the document, so that a test can see which pages were tried.
    """
    del name
    source, page = given.the(Source), given.the(Page)
    with (source.path.parent / "tried").open("a") as tried:
        tried.write(f"{page.number}\n")
    deed = source.name[page.number - 1]
    if deed == "c":
        os.abort()
    if deed == "h":
        threading.Event().wait()
    if deed == "d":
        raise Reject("corrupt", "The page is damaged.")
    if deed == "m":
        raise Reject("not_installed", "Nothing here can read it.")
    text = f"Page {page.number} of the harbour book."
    note = "Only half of it is there." if deed == "n" else None
    return PageRead(Page(page.number, text, page.width, page.height, source=OCR), note)


def tried(path: Path) -> list[int]:
    """The pages that were tried so far, in order."""
    notes = path.parent / "tried"
    return [int(line) for line in notes.read_text().splitlines()] if notes.exists() else []
