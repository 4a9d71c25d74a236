"""Words around a date that show what it dates: the document itself, a birth or a meeting."""

from __future__ import annotations

import re

from docyard.facts.notation.lexicon import load_words, merge_languages

_TABLES = load_words("date_labels")


def _make_pattern(name: str) -> str:
    """Return a pattern for the entries of one table in all languages."""
    return "|".join(entry.replace(" ", r"\s") for entry in merge_languages(_TABLES[name]))


_WEEKDAY = rf"(?:(?:{_make_pattern('weekdays')})\W{{1,3}})?"
_ALONE = re.compile(rf"\W*{_WEEKDAY}(?:den |le |the )?", re.IGNORECASE)
_TOWN = re.compile(
    rf"\W*(?:(?:{_make_pattern('signed')}) (?:à |a |at |in )?)?"
    r"(?-i:[^\W\d_a-zß-ÿ])[\w'’.-]*(?: [^\W\d_][\w'’.()-]*){0,4}\s?,\s{0,3}"
    rf"{_WEEKDAY}(?:{_make_pattern('articles')})?\s{{0,3}}",
    re.IGNORECASE,
)
_OWN = re.compile(rf"\W*(?:{_make_pattern('own')})\W{{0,4}}(?:(?:den|le|the)\s)?", re.IGNORECASE)
_BIRTH = re.compile(rf"\b(?:{_make_pattern('birth')})\b[^\n]{{0,20}}$", re.IGNORECASE)
_MEETING = re.compile(
    rf"\b(?:{_make_pattern('meeting')})\b[^.;]{{0,60}}?\b(?:{_make_pattern('of_meeting')})\s{{1,3}}(?:\w+,?\s)?$"
    r"|\bmeeting\W{1,3}$",
    re.IGNORECASE,
)
_FORMER = re.compile(rf"\b(?:{_make_pattern('former')})\b", re.IGNORECASE)
_OTHER_DATE = re.compile(rf"\b(?:{_make_pattern('other')})\b[^\n]{{0,15}}$", re.IGNORECASE)
_TIME = re.compile(r"\W*(?:\d{1,2}[:.h]\d{0,2}\W*(?:uhr|h|am|pm)?\W*)?", re.IGNORECASE)
_COPIES = re.compile(rf"\s?,?\s(?:en|in)\s(?:\w+\s){{1,3}}(?:{_make_pattern('copies')})\W*", re.IGNORECASE)
_MAX_CHARS = 80  # characters before a date that may name a town


def is_own_date(before: str, after: str) -> bool:
    """Return whether a date with these words before and after it on its line is the document's own."""
    ended = bool(_TIME.fullmatch(after) or _COPIES.match(after))
    if is_own_date_label(before):
        return True
    return ended and bool(_ALONE.fullmatch(before) or names_town(before))


def is_own_date_label(before: str) -> bool:
    """Return whether these words announce the document's own date."""
    return bool(_OWN.fullmatch(before))


def names_town(before: str) -> bool:
    """Return whether these words name the town in which something was signed."""
    return len(before) <= _MAX_CHARS and bool(_TOWN.fullmatch(before))


def announces_meeting(before: str) -> bool:
    """Return whether these words announce the date of the meeting itself, not of an earlier one."""
    return bool(_MEETING.search(before)) and not _FORMER.search(before)


def announces_other_date(before: str) -> bool:
    """Return whether these words announce a date other than the document's own."""
    return announces_birth(before) or bool(_OTHER_DATE.search(before))


def announces_birth(before: str) -> bool:
    """Return whether these words announce a date of birth."""
    return bool(_BIRTH.search(before))
