"""HTML files: the visible text, decoded by the declared or detected charset."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown
from docyard.readers.markup import html_blocks
from docyard.readers.text import decode, detect_unicode_encoding

_SEARCHED_BYTES = 4096
_OFTEN_WRONG = ("ascii", "iso8859-1", "cp1252", "iso8859-15")  # often declared by mistake
_DECLARATION = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the page as Markdown, with its title."""
    blocks, title = html_blocks.parse_html(decode_html(path.read_bytes()))
    return markdown.build_extracted(blocks, limits, title=title)


def decode_html(data: bytes, charset: str | None = None) -> str:
    """Decode a page by its byte order mark, the given or declared charset, or else by detection."""
    name = charset or _declared_charset(data[:_SEARCHED_BYTES])
    if name and detect_unicode_encoding(data[:_SEARCHED_BYTES]) is None:
        decoded = decode_charset(data, name)
        if decoded is not None:
            return decoded
    return decode(data)


def decode_charset(data: bytes, charset: str) -> str | None:
    """Decode bytes in a named charset, or in UTF-8 if that is more likely.

    Return None if the charset is unknown or clearly wrong.
    """
    try:
        name = codecs.lookup(charset).name
        if name in _OFTEN_WRONG and (unicode := _decode_utf8(data)) is not None:
            return unicode
        # Like browsers, decode Latin-1 as its superset cp1252, which most such pages use.
        text = data.decode("cp1252" if name in ("iso8859-1", "ascii") else name, "replace")
    except (LookupError, ValueError, AttributeError, TypeError):
        return None
    if name == "utf-8" and "\ufffd" in text:  # pages may declare UTF-8 wrongly; let detection decide
        return None
    return text if text.count("\ufffd") * 20 <= len(text) and not name.startswith("utf-16") else None


def _decode_utf8(data: bytes) -> str | None:
    """Return the text if the bytes are valid UTF-8 but not ASCII, else None.

    Text in another charset is hardly ever valid UTF-8.
    """
    try:
        return None if data.isascii() else data.decode()
    except UnicodeDecodeError:
        return None


def _declared_charset(start: bytes) -> str | None:
    found = _DECLARATION.search(start)
    return found[1].decode("ascii", "ignore") if found else None
