"""How headings read: what their words are never like, and what they are like in the letters of the text."""

from __future__ import annotations

import re

LONGEST_PLAIN = 80
_LONGEST_BOLD = 100  # a bold paragraph is longer
_LONGEST_DATE = 40
_SMALL_WORD = 4  # letters of "from" and "with", which titles leave small
_SENTENCE = 8  # words
_BEFORE_COLON = 3  # words
_WORD = re.compile(r"(?<!\S)(?:\d{1,3}[.)])*[^\w\s]*(?:[^\W\d_][-'’.&])*[^\W\d_]{2}(?![\d_])")
_BEGINS = re.compile(r"[\w\"'“”„«‘¿¡§(\[#<]|-\d")
_CAPTION = re.compile(
    r"(?i:fig(?:ure|ura)?|tab(?:le|elle|leau|la|ella)?|abb(?:ildung)?|chart|diagram|plate)"
    r"\.?\s*(?:\d|[A-Z](?:\W|$))"
)
_NO_HEADING = ("@", "://", "www.", "___", "....", ". . .", "/s/")  # addresses, blanks, leaders, signatures
_OPENING = "([\"'“„«‘"
_GOES_ON = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "e", "of"))
_MOST_DIGITS = 8  # more, and in several groups, are a telephone's
_DIGITS = re.compile(r"\d+")
NUMBER = re.compile(
    r"(?:§+\s*)?-?(\d{1,3}[A-Z]?(?:[.-]\d{1,3})*(?:[.)-]|(?=\s))|(?:[A-Z]|[IVXLC]{1,7})(?:\.\d{1,3})*[.)])"
    r"\s*(?=\S*[^\W\d_])"
)
SECTION = re.compile(
    r"(?:section|article|chapter|part|exhibit|schedule|annex|appendix|abschnitt|artikel|kapitel|teil|anhang|anlage"
    r"|chapitre|titre|partie|annexe|capítulo|sección|artículo|título|anexo|capitolo|sezione|articolo|parte|allegato)"
    r"\s+(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]|[IVXLC]{1,7})(?=\W|$)",
    re.IGNORECASE,
)
_PART = re.compile(r"[^\W_]+")


def could_be(words: str) -> bool:
    """Whether these may be words of a heading: no rest of a sentence, address, day or caption."""
    return (
        not words.lstrip(_OPENING)[:1].islower()
        and words[-1] not in ",;&"
        and words.count(":") < 2
        and not any(sign in words for sign in _NO_HEADING)
        and _BEGINS.match(words) is not None
        and _WORD.search(words) is not None
        and _CAPTION.match(words) is None
        and words.rsplit(None, 1)[-1] not in _GOES_ON
        and not _is_date(words)
        and (words[-1] != "." or len(words.split()) < _SENTENCE or _is_titled(words))
    )


def _is_date(words: str) -> bool:
    """Whether this is a day and hardly anything else, in whatever language and order."""
    if len(words) > _LONGEST_DATE or not words[-1].isdigit():
        return False
    parts = _PART.findall(words)
    numbers = [part for part in parts if part.isdigit()]
    named = len(parts) - len(numbers)
    dated = (len(numbers) == 2 and named in (1, 2)) or (len(numbers) == 3 and named == 0)
    lengths = sorted(map(len, numbers))
    return dated and lengths[-1] == 4 and lengths[-2] < 3 and SECTION.match(words) is None


def _has_telephone(words: str) -> bool:
    groups = _DIGITS.findall(words)
    return len(groups) > 2 and sum(map(len, groups)) > _MOST_DIGITS


def bold_could_be(words: str) -> bool:
    """Whether a bold line may be one: a sentence is only said loudly."""
    if len(words) > _LONGEST_BOLD or _has_telephone(words):
        return False
    if words[-1] == ".":
        return _is_numbered(words) and _is_titled(words)
    return words[-1] != ":" or len(words.split()) < _SENTENCE or _is_titled(words)


def plain_could_be(words: str) -> bool:
    """In the letters of the text: all capitals, a section with its number, or every long word capitalised."""
    if len(words) > LONGEST_PLAIN or _has_telephone(words) or not _is_titled(words):
        return False
    if SECTION.match(words):
        return True
    if ":" in words and (words[-1] != ":" or len(words.split()) > _BEFORE_COLON):  # a value, or a sentence
        return False
    if words[-1].isalpha() or (words[-1] not in ".?!" and words.isupper()):
        return len(words) > 3
    return NUMBER.match(words) is not None


def could_stand_above(line: str) -> bool:
    """Whether a short first line above a paragraph is a heading rather than the paragraph's own."""
    return bool(line) and plain_could_be(line) and could_be(line)


def _is_numbered(words: str) -> bool:
    return SECTION.match(words) is not None or NUMBER.match(words) is not None


def _is_titled(words: str) -> bool:
    """Whether every longer word begins with a capital, as in English titles; scripts without them say no."""
    parts = words.split()
    if any(part[0].islower() and len(part) > _SMALL_WORD for part in parts):
        return False
    return any(part[0].isupper() and len(part) > 2 for part in parts)
