"""Towns of postal addresses, and what of a text is hidden from the tagger because rules know it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.contacts import emails
from docyard.facts.entities.mail_headers import head_lines
from docyard.facts.entities.spans import Found
from docyard.facts.notation.addresses import streets_in, towns_in
from docyard.facts.notation.conventions import UNKNOWN, Conventions
from docyard.facts.notation.plain_name import plain_name

_SURE = 0.9
_NO_BREAK = re.compile(r"[^\n]")


def towns(text: str, _conventions: Conventions) -> Iterator[Found]:
    """The town of an address is a place; street and post code are nothing that documents share."""
    for placed in towns_in(text):
        if placed.town is not None:
            start, end = placed.town
            yield Found("place", start, end, plain_name(text[start:end]), _SURE)


def hidden(text: str) -> str:
    """The text with blanks for heads of messages, e-mail addresses, streets and post codes."""
    spans = [line.span() for line in head_lines(text)]
    spans += [(each.start, each.end) for each in emails(text, UNKNOWN)]
    spans += [(each.start, each.end) for each in streets_in(text)]
    spans += [
        (each.start, each.town[0]) for each in towns_in(text) if each.town and each.town[0] > each.start
    ]
    letters = list(text)
    for start, end in spans:
        letters[start:end] = _NO_BREAK.sub(" ", text[start:end])
    return "".join(letters)
