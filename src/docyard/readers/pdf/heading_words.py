"""Wording of headings: whether a line in a large, bold or body font may be one."""

from __future__ import annotations

import re

MAX_PLAIN_CHARS = 80
_MAX_BOLD_CHARS = 100  # longer bold text is a paragraph
_MAX_DATE_CHARS = 40
_MAX_SMALL_WORD = 4  # characters; words such as "from" need not be capitalised in a title
_MIN_SENTENCE = 8  # words
_MAX_BEFORE_COLON = 3  # words
_WORD = re.compile(r"(?<!\S)(?:\d{1,3}[.)])*[^\w\s]*(?:[^\W\d_][-'’.&])*[^\W\d_]{2}(?![\d_])")
_START = re.compile(r"[\w\"'“”„«‘¿¡§(\[#<]|-\d")
_CAPTION = re.compile(
    r"(?i:fig(?:ure|ura)?|tab(?:le|elle|leau|la|ella)?|abb(?:ildung)?|chart|diagram|plate)"
    r"\.?\s*(?:\d|[A-Z](?:\W|$))"
)
# Marks of addresses, blanks to fill in, dot leaders and signatures.
_EXCLUDED = ("@", "://", "www.", "___", "....", ". . .", "/s/")
_OPENING_MARKS = "([\"'“„«‘"
_OPEN_ENDINGS = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "e", "of"))
_MAX_DIGITS = 8  # more digits in three or more groups are a telephone number
_DIGITS = re.compile(r"\d+")
HEADING_NUMBER = re.compile(
    r"(?:§+\s*)?-?(\d{1,3}[A-Z]?(?:[.-]\d{1,3})*(?:[.)-]|(?=\s))|(?:[A-Z]|[IVXLC]{1,7})(?:\.\d{1,3})*[.)])"
    r"\s*(?=\S*[^\W\d_])"
)
SECTION_LABEL = re.compile(
    r"(?:section|article|chapter|part|exhibit|schedule|annex|appendix|abschnitt|artikel|kapitel|teil|anhang|anlage"
    r"|chapitre|titre|partie|annexe|capítulo|sección|artículo|título|anexo|capitolo|sezione|articolo|parte|allegato)"
    r"\s+(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVXLC]{1,7})(?=\W|$)",
    re.IGNORECASE,
)
_PART = re.compile(r"[^\W_]+")


def may_be_heading(text: str) -> bool:
    """Return whether the text may be a heading: not part of a sentence, an address, a date or a caption."""
    return (
        not text.lstrip(_OPENING_MARKS)[:1].islower()
        and text[-1] not in ",;&"
        and text.count(":") < 2
        and not any(mark in text for mark in _EXCLUDED)
        and _START.match(text) is not None
        and _WORD.search(text) is not None
        and _CAPTION.match(text) is None
        and text.rsplit(None, 1)[-1] not in _OPEN_ENDINGS
        and not _is_date(text)
        and (text[-1] != "." or len(text.split()) < _MIN_SENTENCE or _is_title_case(text))
    )


def _is_date(text: str) -> bool:
    """Return whether the text is little more than a date, in any language and order."""
    if len(text) > _MAX_DATE_CHARS or not text[-1].isdigit():
        return False
    parts = _PART.findall(text)
    numbers = [part for part in parts if part.isdigit()]
    other_parts = len(parts) - len(numbers)
    has_date_parts = (len(numbers) == 2 and other_parts in (1, 2)) or (len(numbers) == 3 and other_parts == 0)
    lengths = sorted(map(len, numbers))
    return has_date_parts and lengths[-1] == 4 and lengths[-2] < 3 and SECTION_LABEL.match(text) is None


def _has_phone_number(text: str) -> bool:
    groups = _DIGITS.findall(text)
    return len(groups) > 2 and sum(map(len, groups)) > _MAX_DIGITS


def may_be_bold_heading(text: str) -> bool:
    """Return whether a bold line may be a heading; a bold sentence is only emphasised text."""
    if len(text) > _MAX_BOLD_CHARS or _has_phone_number(text):
        return False
    if text[-1] == ".":
        return _is_numbered(text) and _is_title_case(text)
    return text[-1] != ":" or len(text.split()) < _MIN_SENTENCE or _is_title_case(text)


def may_be_plain_heading(text: str) -> bool:
    """Return whether a line in the body font may be a heading; its long words must be capitalised."""
    if len(text) > MAX_PLAIN_CHARS or _has_phone_number(text) or not _is_title_case(text):
        return False
    if SECTION_LABEL.match(text):
        return True
    # A colon inside the line follows a label; one at the end of many words ends a sentence.
    if ":" in text and (text[-1] != ":" or len(text.split()) > _MAX_BEFORE_COLON):
        return False
    if text[-1].isalpha() or (text[-1] not in ".?!" and text.isupper()):
        return len(text) > 3
    return HEADING_NUMBER.match(text) is not None


def may_be_heading_line(line: str) -> bool:
    """Return whether the short line that starts a paragraph may be a heading and not part of it."""
    return bool(line) and may_be_plain_heading(line) and may_be_heading(line)


def _is_numbered(text: str) -> bool:
    return SECTION_LABEL.match(text) is not None or HEADING_NUMBER.match(text) is not None


def _is_title_case(text: str) -> bool:
    """Return whether at least one word and all longer words are capitalised, as in English titles."""
    parts = text.split()
    if any(part[0].islower() and len(part) > _MAX_SMALL_WORD for part in parts):
        return False
    return any(part[0].isupper() and len(part) > 2 for part in parts)
