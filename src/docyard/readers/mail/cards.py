"""Calendars (iCalendar) and contact cards (vCard) as text: one line per property, except technical ones."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown
from docyard.readers.text import decode, remove_invalid_characters

_FOLD = re.compile(r"\r?\n[ \t]")
_PROPERTY = re.compile(r"(?:[\w-]+\.)?([A-Za-z][\w-]*)((?:;[^:\";]*(?:\"[^\"]*\")?)*):(.*)", re.DOTALL)
_PARAMETER = re.compile(r";([\w-]+)=(\"[^\"]*\"|[^;:]*)")
_ESCAPE = re.compile(r"\\([\\,;nN])")
_DATE_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_MAX_LINE = 100_000  # characters of one property
_SKIPPED_WORDS = """
    version prodid uid rev dtstamp sequence calscale method transp class created last-modified photo logo
    sound key status priority n sort-string label
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_SKIPPED_COMPONENTS = frozenset(("vtimezone", "valarm"))
_LABELS = {"fn": "Name", "dtstart": "Start", "dtend": "End", "tel": "Telephone", "adr": "Address", "rrule": "Repeats"}
_PERSONS = ("organizer", "attendee")


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return a block for each appointment, task or card; the whole source if it has no properties."""
    source = decode(path.read_bytes())
    return markdown.build_extracted(list(blocks(source)) or [source], limits)


def blocks(source: str) -> Iterator[str]:
    """Yield the properties of each appointment, task or card as lines."""
    lines: list[str] = []
    skipped: list[str] = []
    for name, parameters, value in _properties(source):
        if name in ("begin", "end"):
            component = value.strip().lower()
            if component in _SKIPPED_COMPONENTS:
                skipped = [component] if name == "begin" else []
            if lines:
                yield "\n".join(lines)
                lines = []
        elif not skipped and name not in _SKIPPED and not name.startswith("x-"):
            lines += _format_property(name, parameters, value)
    if lines:
        yield "\n".join(lines)


def _properties(source: str) -> Iterator[tuple[str, dict[str, str], str]]:
    for line in _unfold_lines(source):
        found = _PROPERTY.fullmatch(line[:_MAX_LINE])
        if found:
            parameters = {key.lower(): value.strip('"') for key, value in _PARAMETER.findall(found[2])}
            yield found[1].lower(), parameters, found[3]


def _unfold_lines(source: str) -> Iterator[str]:
    """Yield the logical lines; join folded lines, and lines broken by quoted-printable encoding."""
    pending: list[str] = []
    for line in _FOLD.sub("", source).splitlines():
        if line.endswith("=") and (pending or "QUOTED-PRINTABLE:" in line.upper()):
            pending.append(line[:-1])
            continue
        yield "".join([*pending, line])
        pending.clear()
    yield "".join(pending)


def _format_property(name: str, parameters: dict[str, str], value: str) -> Iterator[str]:
    encoding = parameters.get("encoding", "").lower()
    if encoding in ("b", "base64") or value.startswith("data:"):
        return
    if encoding == "quoted-printable":
        value = decode(quopri.decodestring(value.encode()))
    text = (
        _format_person(parameters, value)
        if name in _PERSONS
        else _format_date_time(parameters, value) or _format_text(value)
    )
    if text:
        yield f"{_LABELS.get(name, name.replace('-', ' ').capitalize())}: {text}"


def _format_person(parameters: dict[str, str], value: str) -> str:
    address = re.sub(r"(?i)^mailto:", "", value.strip())
    name = parameters.get("cn", "")
    return f"{name} <{address}>" if name and name != address else address


def _format_date_time(parameters: dict[str, str], value: str) -> str | None:
    found = _DATE_TIME.fullmatch(value.strip())
    if not found:
        return None
    date = f"{found[1]}-{found[2]}-{found[3]}"
    zone = " UTC" if found[6] else f" {parameters['tzid']}" if parameters.get("tzid") else ""
    return f"{date} {found[4]}:{found[5]}{zone}" if found[4] else date


def _format_text(value: str) -> str:
    """Return the value with its components separated by commas and its escape sequences resolved."""
    components = re.split(r"(?<!\\);", value)
    text = ", ".join(component.strip() for component in components if component.strip())
    return remove_invalid_characters(_ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], text)).strip()
