"""JSON, XML and the like: shown as they are written, in lines when they were written without any."""

from __future__ import annotations

import json
import re
from pathlib import Path

from docyard.model.limits import MEGABYTE, Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, text
from docyard.readers.text import TextFile

_LARGEST = 8 * MEGABYTE  # beyond it a file is shown as it is
_LONG_LINE = 2000
_ESCAPED = re.compile(r"(?<!\\)(?:\\u00[a-f89A-F][0-9a-fA-F]|\\u(?!00)[0-9a-fA-F]{4})+")
_BETWEEN_TAGS = re.compile(r">\s*<")


def read(path: Path, limits: Limits) -> Extracted:
    """The text of the file; nothing in it is parsed to be believed, resolved or run."""
    if path.stat().st_size <= _LARGEST:
        written = text.decode(path.read_bytes())
        if len(written) > _LONG_LINE * (written.count("\n") + 1):
            return markdown.extracted([_in_lines(written)], limits)
        if _ESCAPED.search(written):
            return markdown.extracted([_with_letters(written)], limits)
    return _as_written(text.read(path, limits.text_page_chars, limits.pages), limits)


def _in_lines(written: str) -> str:
    if written.lstrip().startswith("<"):
        return _BETWEEN_TAGS.sub(">\n<", written)
    try:
        return json.dumps(json.loads(written), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return written


def _with_letters(written: str) -> str:
    """JSON whose letters above ASCII are written as numbers, with them as letters: so words can be found."""
    try:
        json.loads(written)
    except (ValueError, RecursionError):
        return written
    return _ESCAPED.sub(lambda found: str(json.loads(f'"{found[0]}"')), written)


def _as_written(file: TextFile, limits: Limits) -> Extracted:
    notes = (f"Only the first {limits.pages:,} pages were read.",) if file.cut else ()
    return Extracted(file.pages, notes=notes)
