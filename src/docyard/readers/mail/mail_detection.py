"""Detection of e-mail messages and mailboxes by their first lines."""

from __future__ import annotations

import re

_FIELD = re.compile(r"([!-9;-~]{1,76})[ \t]*:")
_KNOWN_WORDS = """
    received return-path delivered-to message-id mime-version from date subject to cc reply-to
    content-type x-mailer sender dkim-signature received-spf authentication-results
"""
_KNOWN = frozenset(_KNOWN_WORDS.split())
_MAIL_ONLY_WORDS = """
    received return-path delivered-to message-id mime-version dkim-signature x-mailer
"""
_MAIL_ONLY = frozenset(_MAIL_ONLY_WORDS.split())
_MBOX_SEPARATOR = re.compile(r"From [^\n]{3,200}\n")


def detect_mail_type(text: str) -> str | None:
    """Return the media type of a message or mailbox; None if the text does not begin like one."""
    first = _MBOX_SEPARATOR.match(text)
    fields = _field_names(text[first.end() :] if first else text.lstrip("\n"))
    known = fields & _KNOWN
    if len(known) >= 3 or (len(known) == 2 and known & _MAIL_ONLY):
        return "application/mbox" if first else "message/rfc822"
    return None


def _field_names(text: str) -> set[str]:
    """Return the names of the header fields before the first empty line.

    The set is empty if a line there is neither a header field nor a continuation of one.
    """
    lines = text.split("\n")
    found: set[str] = set()
    for line in lines[:-1] or lines:  # the last line may be incomplete
        if not line.strip():
            break
        field = _FIELD.match(line)
        if field:
            found.add(field[1].lower())
        elif not found or line[0] not in " \t>":
            return set()
    return found
