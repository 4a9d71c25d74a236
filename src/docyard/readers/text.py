"""Plain text in any of the usual encodings, as pages without characters the database refuses."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from docyard.model.text.pages import Page
from docyard.readers.charset import guess_encoding

_PIECE = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HIGH = bytes(range(128, 256))
_SAMPLE, _LONGEST_LINE, _MOST_LINES = 16_384, 4096, 200_000


@dataclass(frozen=True, slots=True)
class TextFile:
    """The pages of a text file; `cut` says that there was more than the limit allows."""

    pages: tuple[Page, ...]
    cut: bool


def read(path: Path, page_chars: int, page_limit: int) -> TextFile:
    """The file as pages: split at form feeds, and at a line end before a page grows past `page_chars`."""
    with opened(path) as stream:
        texts = list(islice(split_pages(_cleaned(stream), page_chars), page_limit + 1))
    pages = tuple(Page(number, text) for number, text in enumerate(texts[:page_limit] or [""], start=1))
    return TextFile(pages, cut=len(texts) > page_limit)


@contextmanager
def opened(path: Path) -> Iterator[io.TextIOWrapper]:
    """The file as a stream of text in its encoding; what is no letter in it is replaced."""
    with path.open("rb") as file:
        encoding = _encoding(file)
        file.seek(0)
        with io.TextIOWrapper(file, encoding, errors="replace") as stream:
            yield stream


def decode(data: bytes) -> str:
    """The bytes as text, with every line ending as one newline and without NUL."""
    file = io.BytesIO(data)
    encoding = _encoding(file)
    return "".join(_cleaned(io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace")))


def clean(text: str) -> str:
    """The text without what PostgreSQL refuses: NUL and halves of surrogate pairs."""
    text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def undivided(text: str) -> str:
    """The text without marks where a word may be divided, which hide it from searches; at ends a hyphen."""
    return text.replace("\xad\n", "-\n").replace("\xad", "") if "\xad" in text else text


def split_pages(pieces: Iterable[str], page_chars: int) -> Iterator[str]:
    """The pages of a text that arrives in pieces; where the pieces end makes no difference."""
    rest = ""
    for piece in pieces:
        rest += piece
        start = 0
        while (cut := _page_end(rest, start, page_chars)) is not None:
            yield rest[start : cut[0]]
            start = cut[1]
        rest = rest[start:]
    if rest:
        yield rest


def _page_end(text: str, start: int, page_chars: int) -> tuple[int, int] | None:
    """Where the page that begins at `start` ends and the next begins; None if it may still grow."""
    stop = start + page_chars
    feed = text.find("\f", start, stop + 1)
    if feed >= 0:
        return feed, feed + 1
    if len(text) <= stop:
        return None
    end = text.rfind("\n", start, stop) + 1
    if end == 0:
        end = max(text.rfind(" ", start, stop), text.rfind("\t", start, stop)) + 1
    return (end or stop, end or stop)


def _cleaned(stream: io.TextIOWrapper) -> Iterator[str]:
    while piece := stream.read(_PIECE):
        yield undivided(clean(piece))


def wide_encoding(head: bytes) -> str | None:
    """The encoding, when a mark or zeros in one half of the byte pairs show several bytes a letter."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) or max(even, odd) * 10 < len(head) * 4 or len(head) < 4:
        return None
    return "utf-16-le" if odd else "utf-16-be"


def _encoding(file: BinaryIO) -> str:
    """The encoding of a file: by its first bytes, as UTF-8, or else by what its letters look like."""
    wide = wide_encoding(file.read(4096))
    file.seek(0)
    if wide or _mostly_utf8(file):
        return wide or "utf-8"
    file.seek(0)
    return guess_encoding(_sample(file))


def _sample(file: BinaryIO) -> bytes:
    """Enough lines with letters above ASCII to tell charsets apart; a whole file would take seconds."""
    lines: list[bytes] = []
    size = 0
    for line in islice(iter(lambda: file.readline(_LONGEST_LINE), b""), _MOST_LINES):
        if not line.isascii():
            lines.append(line)
            size += len(line)
        if size > _SAMPLE:
            break
    return b"".join(lines)


def _mostly_utf8(file: BinaryIO) -> bool:
    """Whether few of the bytes above ASCII break UTF-8: one damaged letter must not garble all others."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    high = broken = 0
    while piece := file.read(_PIECE):
        high += len(piece) - len(piece.translate(None, _HIGH))
        broken += decoder.decode(piece).count("\ufffd")
    return broken * 10 <= high
