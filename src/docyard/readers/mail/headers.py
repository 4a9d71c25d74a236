"""Whether a text begins as an e-mail message or a mailbox does."""

from __future__ import annotations

import re

_FIELD = re.compile(r"([!-9;-~]{1,76})[ \t]*:")
_KNOWN_WORDS = """
    received return-path delivered-to message-id mime-version from date subject to cc reply-to
    content-type x-mailer sender dkim-signature received-spf authentication-results
"""
_KNOWN = frozenset(_KNOWN_WORDS.split())
_OF_MAIL_ONLY_WORDS = """
    received return-path delivered-to message-id mime-version dkim-signature x-mailer
"""
_OF_MAIL_ONLY = frozenset(_OF_MAIL_ONLY_WORDS.split())
_BETWEEN = re.compile(r"From [^\n]{3,200}\n")


def mail_type(text: str) -> str | None:
    """The media type of a message or mailbox, or None when the text begins otherwise."""
    first = _BETWEEN.match(text)
    fields = _fields(text[first.end() :] if first else text.lstrip("\n"))
    known = fields & _KNOWN
    if len(known) >= 3 or (len(known) == 2 and known & _OF_MAIL_ONLY):
        return "application/mbox" if first else "message/rfc822"
    return None


def _fields(text: str) -> set[str]:
    """The names of the fields before the first empty line; none when something else stands there."""
    lines = text.split("\n")
    found: set[str] = set()
    for line in lines[:-1] or lines:  # the last line may have been cut off
        if not line.strip():
            break
        field = _FIELD.match(line)
        if field:
            found.add(field[1].lower())
        elif not found or line[0] not in " \t>":
            return set()
    return found
