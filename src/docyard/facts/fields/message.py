"""The fields of an e-mail: its head, as the reader of messages wrote it above the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.utils import parsedate_to_datetime

from docyard.facts.fields.dates import dates_in
from docyard.facts.fields.layout.document_text import Paper
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_HEAD_CHARS = 8_000
_HEADER = re.compile(
    r"^[ \t>*|]*(?P<name>From|To|Cc|Bcc|Date|Sent|Subject|Von|An|Datum|Gesendet|Betreff|De|À|Objet"
    r"|Envoyé|Para|Enviado|Asunto|Fecha|Da|A|Inviato|Oggetto|Data|Aan|Verzonden|Onderwerp"
    r"|Van)[*]*[ \u00a0]?:[ \t*]*"
    r"(?P<value>[^\n|]*[^\s|])",
    re.MULTILINE,
)
_NAMES = {
    "from": "from", "von": "from", "de": "from", "to": "to", "an": "to", "à": "to", "cc": "cc", "bcc": "bcc",
    "date": "date", "sent": "date", "datum": "date", "gesendet": "date", "envoyé": "date",
    "subject": "subject", "betreff": "subject", "objet": "subject",
    "da": "from", "van": "from", "para": "to", "a": "to", "aan": "to", "enviado": "date", "fecha": "date",
    "inviato": "date", "data": "date", "verzonden": "date", "asunto": "subject", "oggetto": "subject",
    "onderwerp": "subject",
}  # fmt: skip


def message_fields(pages: Sequence[Page]) -> Iterator[FieldValue]:
    """Each field of the outermost head once; what is quoted further down is another message's."""
    paper = Paper(pages[:2], _HEAD_CHARS)
    seen: set[str] = set()
    for match in _HEADER.finditer(paper.text):
        name = _NAMES[match["name"].casefold()]
        if name in seen:
            break
        seen.add(name)
        normal = _day(match["value"]) if name == "date" else ""
        yield paper.field(
            name, *match.span("value"), normal, confidence=0.97 if normal or name != "date" else 0.5
        )


def _day(value: str) -> str:
    try:
        return parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        found = dates_in(value)
        return found[0].iso if found else ""
