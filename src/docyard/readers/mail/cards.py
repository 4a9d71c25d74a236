"""Calendars and visiting cards: what they tell people, an entry a line, without what is for programs."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown
from docyard.readers.text import clean, decode

_FOLD = re.compile(r"\r?\n[ \t]")
_ENTRY = re.compile(r"(?:[\w-]+\.)?([A-Za-z][\w-]*)((?:;[^:\";]*(?:\"[^\"]*\")?)*):(.*)", re.DOTALL)
_PARAMETER = re.compile(r";([\w-]+)=(\"[^\"]*\"|[^;:]*)")
_ESCAPE = re.compile(r"\\([\\,;nN])")
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_LONGEST = 100_000  # of one entry
_MACHINES_OWN_WORDS = """
    version prodid uid rev dtstamp sequence calscale method transp class created last-modified photo logo
    sound key status priority n sort-string label
"""
_MACHINES_OWN = frozenset(_MACHINES_OWN_WORDS.split())
_MACHINES_PARTS = frozenset(("vtimezone", "valarm"))
_WORDS = {
    "fn": "Name",
    "dtstart": "Start",
    "dtend": "End",
    "tel": "Telephone",
    "adr": "Address",
    "rrule": "Repeats",
}
_NAMED = ("organizer", "attendee")


def read(path: Path, limits: Limits) -> Extracted:
    """The entries of each appointment or card, a block for each."""
    source = decode(path.read_bytes())
    return markdown.extracted(list(blocks(source)) or [source], limits)


def blocks(source: str) -> Iterator[str]:
    """What each appointment, task or card says, line by line."""
    lines: list[str] = []
    passed_over: list[str] = []
    for name, parameters, value in _entries(source):
        if name in ("begin", "end"):
            part = value.strip().lower()
            if part in _MACHINES_PARTS:
                passed_over = [part] if name == "begin" else []
            if lines:
                yield "\n".join(lines)
                lines = []
        elif not passed_over and name not in _MACHINES_OWN and not name.startswith("x-"):
            lines += _line(name, parameters, value)
    if lines:
        yield "\n".join(lines)


def _entries(source: str) -> Iterator[tuple[str, dict[str, str], str]]:
    for line in _whole_lines(source):
        found = _ENTRY.fullmatch(line[:_LONGEST])
        if found:
            given = {key.lower(): value.strip('"') for key, value in _PARAMETER.findall(found[2])}
            yield found[1].lower(), given, found[3]


def _whole_lines(source: str) -> Iterator[str]:
    """The lines put together again, whichever way they were folded."""
    waiting: list[str] = []
    for line in _FOLD.sub("", source).splitlines():
        if line.endswith("=") and (waiting or "QUOTED-PRINTABLE:" in line.upper()):
            waiting.append(line[:-1])
            continue
        yield "".join([*waiting, line])
        waiting.clear()
    yield "".join(waiting)


def _line(name: str, parameters: dict[str, str], value: str) -> Iterator[str]:
    encoding = parameters.get("encoding", "").lower()
    if encoding in ("b", "base64") or value.startswith("data:"):
        return
    if encoding == "quoted-printable":
        value = decode(quopri.decodestring(value.encode()))
    told = _person(parameters, value) if name in _NAMED else _moment(parameters, value) or _plain(value)
    if told:
        yield f"{_WORDS.get(name, name.replace('-', ' ').capitalize())}: {told}"


def _person(parameters: dict[str, str], value: str) -> str:
    address = re.sub(r"(?i)^mailto:", "", value.strip())
    name = parameters.get("cn", "")
    return f"{name} <{address}>" if name and name != address else address


def _moment(parameters: dict[str, str], value: str) -> str | None:
    found = _MOMENT.fullmatch(value.strip())
    if not found:
        return None
    day = f"{found[1]}-{found[2]}-{found[3]}"
    zone = " UTC" if found[6] else f" {parameters['tzid']}" if parameters.get("tzid") else ""
    return f"{day} {found[4]}:{found[5]}{zone}" if found[4] else day


def _plain(value: str) -> str:
    """The value with its pieces after each other, and what was escaped in it as it was meant."""
    pieces = re.split(r"(?<!\\);", value)
    told = ", ".join(piece.strip() for piece in pieces if piece.strip())
    return clean(_ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], told)).strip()
