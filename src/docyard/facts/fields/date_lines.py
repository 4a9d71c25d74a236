"""Days that date the document itself: alone on a line, after a town, or after the word 'date'."""

from __future__ import annotations

import re

_WEEKDAYS = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado"
    r"|domingo|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)"
)
_ALONE = re.compile(rf"\W*(?:{_WEEKDAYS}\W{{1,3}})?(?:den |le |the )?", re.IGNORECASE)
# Kiel, den …; Fait à Lyon, le …; En Cádiz, a …
_TOWN = re.compile(
    r"\W*(?:(?:[Ff]ait|[Ff]atto|[Dd]one|[Ss]igned|[Gg]iven|[Ee]n|[Ee]xecuted) (?:à |a |at |in )?)?"
    r"(?-i:[^\W\d_a-zß-ÿ])[\w'’.-]*(?: [^\W\d_][\w'’.()-]*){0,4}\s?,\s{0,3}"
    rf"(?:{_WEEKDAYS}\W{{1,3}})?(?:den|le|il|a|the|op|am|on|dated|dnia)?\s{{0,3}}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\W*(?:date|datum|dato|data|fecha|dated|(?:report|letter|statement|issue|meeting|document)\sdate"
    r"|date\sof\s(?:this\s)?(?:report|issue|letter|meeting|signature|agreement|document|statement)"
    r"|date\sd[eu]s?\s(?:l[ea']\s?)?(?:rapport|s[eé]ance|r[eé]union|signature|relev[eé])"
    r"|issued(?:\son)?|(?:bericht|sitzung|auszug|ausstellung|brief)s?datum|auszug\svom|stand|erstellt\sam"
    r"|fecha\sde\s(?:emisi[oó]n|firma)|data\sdi\semissione)\W{0,4}(?:(?:den|le|the)\s)?",
    re.IGNORECASE,
)
_BORN = re.compile(
    r"\b(?:born|birth|dob|n[ée]e?\sle|geb(?:oren|urtsdatum|urtstag)?|nacid[oa]|nat[oa]\sil|geboren)\b[^\n]{0,20}$",
    re.IGNORECASE,
)
_MEETING = re.compile(
    r"\b(?:meeting|\w*sitzung|\w*versammlung|réunion|séance|vergadering|reunión|riunione)\b[^.;]{0,60}?"
    r"\b(?:held\s(?:on|at)|of|on|vom|am|du|van|del)\s{1,3}(?:\w+,?\s)?$|\bmeeting\W{1,3}$",
    re.IGNORECASE,
)
_FORMER = re.compile(r"\b(?:last|previous|letzte[nr]?|vorige[nr]?|dernière|précédente)\b", re.IGNORECASE)
# A day after one of these is that of something else.
_OTHER = re.compile(
    r"\b(?:since|seit|depuis|from|von|vom|ab|until|till|bis|to|valid|gültig|expir\w*|due|fällig|eintritt\w*|entry|hired"
    r"|joined|start\w*|begin\w*|commenc\w*|received|eingegangen|effective|ordered|bestell\w*|delivered|geliefert"
    r"|version|rev(?:ision|ised)?\.?|copyright|deadline|arriv\w*|depart\w*|next|nächste\w*|prochaine?)\b"
    r"[^\n]{0,15}$",
    re.IGNORECASE,
)
_LONGEST = 80  # letters before a day, of a town and what goes with it
_TIME = re.compile(r"\W*(?:\d{1,2}[:.h]\d{0,2}\W*(?:uhr|h|am|pm)?\W*)?", re.IGNORECASE)
_COPIES = re.compile(r"\s?,?\s(?:en|in)\s(?:\w+\s){1,3}(?:exemplaires?|copies|originals?)\W*", re.IGNORECASE)


def dates_document(before: str, after: str) -> bool:
    """Whether a day with these words before and after it on its line is the document's own."""
    ended = bool(_TIME.fullmatch(after) or _COPIES.match(after))
    if is_date_label(before):
        return True
    return ended and bool(_ALONE.fullmatch(before) or is_town(before))


def is_date_label(before: str) -> bool:
    """Whether these words say that the document's own day follows."""
    return bool(_LABEL.fullmatch(before))


def is_town(before: str) -> bool:
    """Whether these words name the town in which something was signed."""
    return len(before) <= _LONGEST and bool(_TOWN.fullmatch(before))


def is_meeting(before: str) -> bool:
    """Whether the day after these words is that of the meeting, and not of the one before it."""
    return bool(_MEETING.search(before)) and not _FORMER.search(before)


def is_other(before: str) -> bool:
    """Whether a day after these words is another one than that of the document."""
    return is_birth(before) or bool(_OTHER.search(before))


def is_birth(before: str) -> bool:
    """Whether a day after these words is somebody's birthday."""
    return bool(_BORN.search(before))
