"""PowerPoint 97 to 2003 presentations: the text atoms of each slide, in the order of the slides."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, ole

_DOCUMENT, _SLIDE, _NOTES, _NOTES_ATOM, _SLIDE_LIST, _SLIDE_PERSIST = 1000, 1006, 1008, 1009, 4080, 1011
_TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES = 3999, 4000, 4008
_TEXT_BOX = 0xF00D
_TITLE_TYPES = (0, 6)
_SLIDES_INSTANCE = 0  # instance of the slide list; other lists hold masters and notes
_CONTAINER = 0xF
_MAX_DEPTH = 30
_ENCRYPTED = 0xF3D1C4DF
_MASTER_TEXT, _FIELD = "Click to edit Master", "*"  # a field is a date or a slide number


class _Texts(list[tuple[bool, str]]):
    """The texts of one slide, each with a flag for titles; `slide` is the id that notes refer to."""

    slide: int | None = None


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return a page for each slide."""
    with ole.open_file(path) as file:
        data = ole.read_stream(file, "PowerPoint Document", limits=limits)
        user = ole.read_stream(file, "Current User", limits=limits) or b""
        title = ole.read_title(file, limits)
    if data is None:
        raise Reject(
            "unsupported_file_type",
            "The format of this presentation is not supported. Save it as PPTX or PDF and upload that file.",
        )
    if len(user) >= 16 and struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED:
        raise Reject("encrypted", "The file needs a password.")
    return markdown.build_extracted(_blocks(data), limits, title=title)


def _blocks(data: bytes) -> Iterator[str]:
    outline = _outline(data)
    notes = dict(_notes(data))
    drawn = [_collect_texts(data, start, end) for kind, _, start, end in _records(data, 0, len(data)) if kind == _SLIDE]
    for number in range(max(len(outline), len(drawn))):
        yield markdown.NEW_PAGE
        seen: set[str] = set()
        sources = [*outline[number : number + 1], *(drawn[number : number + 1] if len(drawn) == len(outline) else [])]
        for is_title, text in (each for texts in sources for each in texts):
            if text not in seen:
                seen.add(text)
                yield from _paragraphs(text, is_title=is_title)
        yield from (notes.get(texts.slide, "") for texts in outline[number : number + 1])
    # With earlier versions of slides in the file, drawn texts cannot be assigned to slides; they come last.
    if len(drawn) != len(outline):
        seen = {text for texts in outline for _, text in texts}
        rest = dict.fromkeys(text for texts in drawn for _, text in texts if text not in seen)
        yield from (block for text in rest for block in _paragraphs(text, is_title=False))


def _paragraphs(text: str, *, is_title: bool) -> Iterator[str]:
    if is_title:
        yield markdown.heading(2, text)
        return
    lines = [line.replace("\x0b", "\n").strip() for line in text.split("\r")]
    lines = [line for line in lines if _is_content(line)]
    yield from (markdown.list_item(line) if len(lines) > 1 else line for line in lines)


def _is_content(line: str) -> bool:
    return bool(line) and line != _FIELD and not line.startswith(_MASTER_TEXT)


def _outline(data: bytes) -> list[_Texts]:
    """Return the placeholder texts of each slide, from the last version of the document."""
    slides: list[_Texts] = []
    for kind, _, start, end in _records(data, 0, len(data)):
        if kind == _DOCUMENT:
            lists = [
                each for each in _records(data, start, end) if each[0] == _SLIDE_LIST and each[1] == _SLIDES_INSTANCE
            ]
            slides = [slide for each in lists for slide in _parse_slide_list(data, each[2], each[3])]
    return slides


def _parse_slide_list(data: bytes, start: int, end: int) -> list[_Texts]:
    slides: list[_Texts] = []
    is_title = False
    for kind, _, first, last in _records(data, start, end):
        if kind == _SLIDE_PERSIST:
            slides.append(_Texts())
            slides[-1].slide = _read_uint32(data, first + 12, last)
        elif kind == _TEXT_HEADER:
            is_title = _is_title(data, first)
        elif slides and (text := _decode_text(data, kind, first, last)):
            slides[-1].append((is_title, text))
    return slides


def _collect_texts(data: bytes, start: int, end: int, depth: int = 0) -> _Texts:
    """Return the texts drawn on a slide, in the order of its shapes."""
    found = _Texts()
    is_title = False
    for kind, _, first, last in _records(data, start, end):
        if kind == _TEXT_HEADER:
            is_title = _is_title(data, first)
        elif text := _decode_text(data, kind, first, last):
            found.append((is_title, text))
        elif depth < _MAX_DEPTH and (kind == _TEXT_BOX or data[first - 8] & 0xF == _CONTAINER):
            found.extend(_collect_texts(data, first, last, depth + 1))
    return found


def _notes(data: bytes) -> Iterator[tuple[int | None, str]]:
    """Yield the slide id and the text of each page of notes, with the latest version of a page last."""
    for kind, _, start, end in _records(data, 0, len(data)):
        if kind == _NOTES:
            atom = next((each for each in _records(data, start, end) if each[0] == _NOTES_ATOM), None)
            lines = [line.strip() for _, text in _collect_texts(data, start, end) for line in text.split("\r")]
            note = "\n".join(line for line in lines if _is_content(line))
            if atom and note:
                yield _read_uint32(data, atom[2], atom[3]), f"Notes: {note}"


def _read_uint32(data: bytes, offset: int, end: int) -> int | None:
    return int(struct.unpack_from("<I", data, offset)[0]) if offset + 4 <= min(end, len(data)) else None


def _is_title(data: bytes, first: int) -> bool:
    return struct.unpack_from("<I", data, first)[0] in _TITLE_TYPES if first + 4 <= len(data) else False


def _decode_text(data: bytes, kind: int, first: int, last: int) -> str:
    if kind == _TEXT_CHARS:
        return data[first:last].decode("utf-16-le", "replace").strip("\r\x00 ")
    return data[first:last].decode("latin-1").strip("\r\x00 ") if kind == _TEXT_BYTES else ""


def _records(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the type, instance, and content range of each record; stop at an invalid length."""
    while start + 8 <= end:
        flags, kind, length = struct.unpack_from("<HHI", data, start)
        first, last = start + 8, start + 8 + length
        if last > end:
            return
        yield kind, flags >> 4, first, last
        start = last
