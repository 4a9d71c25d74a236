"""HTML files: what a reader would see, in the charset that the page says or shows."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown
from docyard.readers.markup import html_blocks
from docyard.readers.text import decode, wide_encoding

_HEAD_BYTES = 4096
_OFTEN_WRONG = ("ascii", "iso8859-1", "cp1252", "iso8859-15")  # named by default, whatever is written
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)


def read(path: Path, limits: Limits) -> Extracted:
    """The page as Markdown, under its own title."""
    blocks, title = html_blocks.blocks(decode_html(path.read_bytes()))
    return markdown.extracted(blocks, limits, title=title)


def decode_html(data: bytes, charset: str | None = None) -> str:
    """The page as text: by its mark, by what was said about it or by itself, else as any text."""
    named = charset or _declared(data[:_HEAD_BYTES])
    if named and wide_encoding(data[:_HEAD_BYTES]) is None:
        decoded = decode_as(data, named)
        if decoded is not None:
            return decoded
    return decode(data)


def decode_as(data: bytes, charset: str) -> str | None:
    """The bytes in a named charset; None when there is none of that name or they are plainly in another."""
    try:
        name = codecs.lookup(charset).name
        if name in _OFTEN_WRONG and (unicode := _as_utf8(data)) is not None:
            return unicode
        # Browsers read Latin-1 as its superset, because everybody wrote the latter.
        text = data.decode("cp1252" if name in ("iso8859-1", "ascii") else name, "replace")
    except (LookupError, ValueError, AttributeError, TypeError):
        return None
    if name == "utf-8" and "\ufffd" in text:  # many pages say so that are in another; looking decides
        return None
    return text if text.count("\ufffd") * 20 <= len(text) and not name.startswith("utf-16") else None


def _as_utf8(data: bytes) -> str | None:
    """The text, if it has letters that hardly any other charset would write in the same bytes."""
    try:
        return None if data.isascii() else data.decode()
    except UnicodeDecodeError:
        return None


def _declared(head: bytes) -> str | None:
    found = _DECLARED.search(head)
    return found[1].decode("ascii", "ignore") if found else None
