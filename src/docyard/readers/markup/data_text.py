"""JSON and XML as text; overlong lines are split, and escaped characters in JSON are decoded."""

from __future__ import annotations

import json
import re
from pathlib import Path

from docyard.model.limits import MEGABYTE, Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, text
from docyard.readers.text import TextFile

_MAX_REFORMATTED = 8 * MEGABYTE  # bytes; a larger file is shown unchanged
_LONG_LINE = 2000  # average characters per line; files with longer lines are reformatted
_ESCAPED = re.compile(r"(?<!\\)(?:\\u00[a-f89A-F][0-9a-fA-F]|\\u(?!00)[0-9a-fA-F]{4})+")
_BETWEEN_TAGS = re.compile(r">\s*<")


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the text of the file; nothing in it is resolved or executed."""
    if path.stat().st_size <= _MAX_REFORMATTED:
        source = text.decode(path.read_bytes())
        if len(source) > _LONG_LINE * (source.count("\n") + 1):
            return markdown.build_extracted([_split_lines(source)], limits)
        if _ESCAPED.search(source):
            return markdown.build_extracted([_unescape_json(source)], limits)
    return _to_extracted(text.read(path, limits.text_page_chars, limits.pages), limits)


def _split_lines(source: str) -> str:
    if source.lstrip().startswith("<"):
        return _BETWEEN_TAGS.sub(">\n<", source)
    try:
        return json.dumps(json.loads(source), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return source


def _unescape_json(source: str) -> str:
    """Replace escape sequences in valid JSON with their non-ASCII characters, so that a search finds them."""
    try:
        json.loads(source)
    except (ValueError, RecursionError):
        return source
    return _ESCAPED.sub(lambda found: str(json.loads(f'"{found[0]}"')), source)


def _to_extracted(file: TextFile, limits: Limits) -> ExtractedText:
    notes = (f"Only the first {limits.pages:,} pages were read.",) if file.truncated else ()
    return ExtractedText(file.pages, notes=notes)
