"""Plain text in any common encoding, as pages without the characters that PostgreSQL rejects."""

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
from docyard.readers.charset import detect_encoding

_CHUNK_BYTES = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HIGH_BYTES = bytes(range(128, 256))
_SAMPLE_BYTES, _MAX_LINE_BYTES, _MAX_LINES = 16_384, 4096, 200_000


@dataclass(frozen=True, slots=True)
class TextFile:
    """The pages of a text file; `truncated` is set if the file has more pages than the limit."""

    pages: tuple[Page, ...]
    truncated: bool


def read(path: Path, page_chars: int, page_limit: int) -> TextFile:
    """Split the file into pages at form feeds.

    Pages longer than `page_chars` are split at a line end, else at a space, else anywhere.
    """
    with open_text(path) as stream:
        texts = list(islice(split_pages(_read_clean(stream), page_chars), page_limit + 1))
    pages = tuple(Page(number, text) for number, text in enumerate(texts[:page_limit] or [""], start=1))
    return TextFile(pages, truncated=len(texts) > page_limit)


@contextmanager
def open_text(path: Path) -> Iterator[io.TextIOWrapper]:
    """Open the file as a text stream in its detected encoding; invalid bytes are replaced."""
    with path.open("rb") as file:
        encoding = _detect_encoding(file)
        file.seek(0)
        with io.TextIOWrapper(file, encoding, errors="replace") as stream:
            yield stream


def decode(data: bytes) -> str:
    """Decode bytes from their detected encoding; normalise line ends, remove NUL and soft hyphens."""
    file = io.BytesIO(data)
    encoding = _detect_encoding(file)
    return "".join(_read_clean(io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace")))


def remove_invalid_characters(text: str) -> str:
    """Remove NUL and replace unpaired surrogates, because PostgreSQL rejects both."""
    text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def remove_soft_hyphens(text: str) -> str:
    """Remove soft hyphens, which hide a word from searches; at a line end they become hyphens."""
    return text.replace("\xad\n", "-\n").replace("\xad", "") if "\xad" in text else text


def split_pages(chunks: Iterable[str], page_chars: int) -> Iterator[str]:
    """Yield the pages of a text that arrives in chunks; the chunk boundaries do not matter."""
    buffer = ""
    for chunk in chunks:
        buffer += chunk
        start = 0
        while (bounds := _find_page_end(buffer, start, page_chars)) is not None:
            yield buffer[start : bounds[0]]
            start = bounds[1]
        buffer = buffer[start:]
    if buffer:
        yield buffer


def _find_page_end(text: str, start: int, page_chars: int) -> tuple[int, int] | None:
    """Return the end of the page at `start` and the start of the next; None if the page may still grow."""
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


def _read_clean(stream: io.TextIOWrapper) -> Iterator[str]:
    while chunk := stream.read(_CHUNK_BYTES):
        yield remove_soft_hyphens(remove_invalid_characters(chunk))


def detect_unicode_encoding(head: bytes) -> str | None:
    """Return the Unicode encoding, detected by a byte order mark or the zero bytes of UTF-16; else None."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) or max(even, odd) * 10 < len(head) * 4 or len(head) < 4:
        return None
    return "utf-16-le" if odd else "utf-16-be"


def _detect_encoding(file: BinaryIO) -> str:
    """Return the encoding of a file: by its first bytes, else UTF-8 if mostly valid, else by its alphabet."""
    unicode_encoding = detect_unicode_encoding(file.read(4096))
    file.seek(0)
    if unicode_encoding or _is_mostly_utf8(file):
        return unicode_encoding or "utf-8"
    file.seek(0)
    return detect_encoding(_read_sample(file))


def _read_sample(file: BinaryIO) -> bytes:
    """Return enough lines with bytes above ASCII to detect the charset; a whole file would take seconds."""
    lines: list[bytes] = []
    size = 0
    for line in islice(iter(lambda: file.readline(_MAX_LINE_BYTES), b""), _MAX_LINES):
        if not line.isascii():
            lines.append(line)
            size += len(line)
        if size > _SAMPLE_BYTES:
            break
    return b"".join(lines)


def _is_mostly_utf8(file: BinaryIO) -> bool:
    """Return whether at most a tenth of the bytes above ASCII are invalid UTF-8.

    One damaged byte must not cause the whole file to be read in another charset.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    high = broken = 0
    while chunk := file.read(_CHUNK_BYTES):
        high += len(chunk) - len(chunk.translate(None, _HIGH_BYTES))
        broken += decoder.decode(chunk).count("\ufffd")
    return broken * 10 <= high
