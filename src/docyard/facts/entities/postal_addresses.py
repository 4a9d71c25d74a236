"""Towns of postal addresses, and a mask for text that the tagger must not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.contacts import find_emails
from docyard.facts.entities.mail_headers import find_people_headers
from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.addresses import find_streets, find_towns
from docyard.facts.notation.conventions import UNKNOWN, Conventions
from docyard.facts.notation.plain_name import normalise_name

_CONFIDENCE = 0.9
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")


def find_town_mentions(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield the towns of postal addresses as places; streets and post codes are not entities."""
    for address in find_towns(text):
        if address.town is not None:
            start, end = address.town
            yield NamedSpan("place", start, end, normalise_name(text[start:end]), _CONFIDENCE)


def mask_known_parts(text: str) -> str:
    """Replace mail headers, e-mail addresses, streets and post codes with blanks; offsets stay the same."""
    spans = [line.span() for line in find_people_headers(text)]
    spans += [(each.start, each.end) for each in find_emails(text, UNKNOWN)]
    spans += [(each.start, each.end) for each in find_streets(text)]
    spans += [(each.start, each.town[0]) for each in find_towns(text) if each.town and each.town[0] > each.start]
    characters = list(text)
    for start, end in spans:
        characters[start:end] = _NOT_A_LINE_BREAK.sub(" ", text[start:end])
    return "".join(characters)
