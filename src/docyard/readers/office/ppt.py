"""PowerPoint presentations of 1997 to 2003: the text atoms of each slide, in the order of the slides."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown, ole

_DOCUMENT, _SLIDE, _NOTES, _NOTES_FACTS, _SLIDE_LIST, _SLIDE_PERSIST = 1000, 1006, 1008, 1009, 4080, 1011
_TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES = 3999, 4000, 4008
_TEXT_BOX = 0xF00D
_TITLES = (0, 6)
_SLIDES_LIST = 0  # other lists hold masters and notes
_CONTAINER = 0xF
_DEEPEST = 30
_ENCRYPTED = 0xF3D1C4DF
_MASTER_HINTS = ("Click to edit Master", "*")


class _Texts(list[tuple[bool, str]]):
    """The texts of one slide, each with whether it is its title, and the number by which notes name it."""

    slide: int | None = None


def read(path: Path, limits: Limits) -> Extracted:
    """A page for each slide."""
    with ole.opened(path) as file:
        data = ole.stream(file, "PowerPoint Document", limits=limits)
        user = ole.stream(file, "Current User", limits=limits) or b""
        title = ole.title_of(file, limits)
    if data is None:
        raise Reject("unsupported_file_type", "This presentation is too old. Save it as PPTX or PDF.")
    if len(user) >= 16 and struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED:
        raise Reject("encrypted", "The file needs a password.")
    return markdown.extracted(_blocks(data), limits, title=title)


def _blocks(data: bytes) -> Iterator[str]:
    outline = _outline(data)
    notes = dict(_notes(data))
    drawn = [
        _texts(data, start, end) for kind, _, start, end in _records(data, 0, len(data)) if kind == _SLIDE
    ]
    for number in range(max(len(outline), len(drawn))):
        yield markdown.NEW_PAGE
        told: set[str] = set()
        both = [
            *outline[number : number + 1],
            *(drawn[number : number + 1] if len(drawn) == len(outline) else []),
        ]
        for is_title, text in (each for texts in both for each in texts):
            if text not in told:
                told.add(text)
                yield from _paragraphs(text, is_title=is_title)
        yield from (notes.get(texts.slide, "") for texts in outline[number : number + 1])
    if len(drawn) != len(outline):  # an edited file also holds slides as they were; say each text once
        told = {text for texts in outline for _, text in texts}
        rest = dict.fromkeys(text for texts in drawn for _, text in texts if text not in told)
        yield from (block for text in rest for block in _paragraphs(text, is_title=False))


def _paragraphs(text: str, *, is_title: bool) -> Iterator[str]:
    if is_title:
        yield markdown.heading(2, text)
        return
    lines = [line.replace("\x0b", "\n").strip() for line in text.split("\r")]
    lines = [line for line in lines if line and not line.startswith(_MASTER_HINTS)]
    yield from (markdown.item(line) if len(lines) > 1 else line for line in lines)


def _outline(data: bytes) -> list[_Texts]:
    """The texts in placeholders, slide by slide, as the last version of the document lists them."""
    slides: list[_Texts] = []
    for kind, _, start, end in _records(data, 0, len(data)):
        if kind == _DOCUMENT:
            lists = [
                each
                for each in _records(data, start, end)
                if each[0] == _SLIDE_LIST and each[1] == _SLIDES_LIST
            ]
            slides = [slide for each in lists for slide in _listed(data, each[2], each[3])]
    return slides


def _listed(data: bytes, start: int, end: int) -> list[_Texts]:
    slides: list[_Texts] = []
    is_title = False
    for kind, _, first, last in _records(data, start, end):
        if kind == _SLIDE_PERSIST:
            slides.append(_Texts())
            slides[-1].slide = _number(data, first + 12, last)
        elif kind == _TEXT_HEADER:
            is_title = _is_title(data, first)
        elif slides and (text := _text(data, kind, first, last)):
            slides[-1].append((is_title, text))
    return slides


def _texts(data: bytes, start: int, end: int, depth: int = 0) -> _Texts:
    """The texts drawn on a slide, in the order of its shapes."""
    found = _Texts()
    is_title = False
    for kind, _, first, last in _records(data, start, end):
        if kind == _TEXT_HEADER:
            is_title = _is_title(data, first)
        elif text := _text(data, kind, first, last):
            found.append((is_title, text))
        elif depth < _DEEPEST and (kind == _TEXT_BOX or data[first - 8] & 0xF == _CONTAINER):
            found.extend(_texts(data, first, last, depth + 1))
    return found


def _notes(data: bytes) -> Iterator[tuple[int | None, str]]:
    """What the speaker wrote down for each slide, by its number; the last version counts."""
    for kind, _, start, end in _records(data, 0, len(data)):
        if kind == _NOTES:
            facts = next((each for each in _records(data, start, end) if each[0] == _NOTES_FACTS), None)
            lines = [line.strip() for _, text in _texts(data, start, end) for line in text.split("\r")]
            said = "\n".join(line for line in lines if line and not line.startswith(_MASTER_HINTS))
            if facts and said:
                yield _number(data, facts[2], facts[3]), f"Notes: {said}"


def _number(data: bytes, at: int, end: int) -> int | None:
    return int(struct.unpack_from("<I", data, at)[0]) if at + 4 <= min(end, len(data)) else None


def _is_title(data: bytes, first: int) -> bool:
    return struct.unpack_from("<I", data, first)[0] in _TITLES if first + 4 <= len(data) else False


def _text(data: bytes, kind: int, first: int, last: int) -> str:
    if kind == _TEXT_CHARS:
        return data[first:last].decode("utf-16-le", "replace").strip("\r\x00 ")
    return data[first:last].decode("latin-1").strip("\r\x00 ") if kind == _TEXT_BYTES else ""


def _records(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Kind, instance, and the ends of the content of each record; a damaged length ends the walk."""
    while start + 8 <= end:
        flags, kind, length = struct.unpack_from("<HHI", data, start)
        first, last = start + 8, start + 8 + length
        if last > end:
            return
        yield kind, flags >> 4, first, last
        start = last
