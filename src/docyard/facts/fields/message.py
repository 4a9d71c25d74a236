"""Fields of an e-mail: the headers that the message reader writes above the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.utils import parsedate_to_datetime

from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import find_dates
from docyard.facts.notation.mail_headers import HEADER_LABEL, header_field
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_HEADER_CHARS = 8_000
_HEADER = re.compile(
    rf"^[ \t>*|]*(?P<label>{HEADER_LABEL})[*]*[ \u00a0]?:[ \t*]*(?P<value>[^\n|]*[^\s|])", re.MULTILINE
)
_FIELDS = ("from", "to", "cc", "bcc", "date", "subject")


def read_message_fields(pages: Sequence[Page], conventions: Conventions) -> Iterator[FieldValue]:
    """Yield each field of the outermost headers once; headers quoted below belong to other messages."""
    document = DocumentText(pages[:2], _HEADER_CHARS)
    seen: set[str] = set()
    for match in _HEADER.finditer(document.text):
        name = header_field(match["label"])
        if name in seen:
            break
        if name not in _FIELDS:
            continue
        seen.add(name)
        normal = _parse_date(match["value"], conventions) if name == "date" else ""
        yield document.make_field(
            name, *match.span("value"), normal, confidence=0.97 if normal or name != "date" else 0.5
        )


def _parse_date(value: str, conventions: Conventions) -> str:
    try:
        return parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        found = find_dates(value, conventions)
        return found[0].iso if found else ""
