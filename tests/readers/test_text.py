"""Text in any common encoding as pages; only invalid characters, soft hyphens and page breaks are lost."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.model.names import clean_name
from docyard.readers import text

GERMAN = "Größe und Maß: äöü ÄÖÜ – „Zitat“\nZweite Zeile\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_decodes_common_encodings(encoding: str) -> None:
    assert text.decode((GERMAN * 20).encode(encoding)) == GERMAN * 20


def test_one_damaged_character_does_not_garble_the_rest() -> None:
    data = (GERMAN * 20).encode().replace("ß".encode(), b"\xc3", 1)
    decoded = text.decode(data)
    assert decoded.count("\ufffd") == 1
    assert decoded.count("ä") == 20


def test_normalises_line_ends_and_removes_nul() -> None:
    assert text.decode(b"a\r\nb\rc\x00d\n") == "a\nb\ncd\n"


def test_truncates_file_at_page_limit(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(b"one\ftwo\fthree")
    read = text.read(path, page_chars=100, page_limit=2)
    assert ([page.text for page in read.pages], read.truncated) == (["one", "two"], True)
    assert [page.number for page in read.pages] == [1, 2]
    whole = text.read(path, page_chars=100, page_limit=3)
    assert (whole.pages[-1].text, whole.truncated) == ("three", False)


def test_ends_pages_at_line_ends() -> None:
    lines = [f"line number {number}\n" for number in range(100)]
    pages = list(text.split_pages(["".join(lines)], 200))
    assert len(pages) > 5
    assert all(page.endswith("\n") and 150 < len(page) <= 200 for page in pages[:-1])


def test_returns_one_empty_page_for_file_without_text(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(bytes(10))
    assert [page.text for page in text.read(path, 100, 10).pages] == [""]


documents = st.text(alphabet=st.sampled_from("abcdef  \t\n\n\f漢é"), max_size=400)


@given(documents, st.integers(1, 50), st.lists(st.integers(0, 400), max_size=5))
def test_paging_keeps_every_character(document: str, page_chars: int, cuts: list[int]) -> None:
    ends = sorted({min(cut, len(document)) for cut in cuts} | {0, len(document)})
    chunks = [document[start:end] for start, end in pairwise(ends)]
    pages = list(text.split_pages(chunks, page_chars))
    assert "".join(pages) == document.replace("\f", "")
    assert all(len(page) <= page_chars for page in pages)
    assert pages == list(text.split_pages([document], page_chars))


@given(st.binary(max_size=300))
def test_decodes_any_bytes_to_text_that_postgresql_accepts(data: bytes) -> None:
    decoded = text.decode(data)
    assert "\x00" not in decoded
    decoded.encode()


@given(st.text(alphabet=st.characters(), max_size=60))
def test_postgresql_accepts_cleaned_text(raw: str) -> None:
    cleaned = text.remove_invalid_characters(raw)
    assert "\x00" not in cleaned
    cleaned.encode()
    if raw.isascii():
        assert cleaned == raw.replace("\x00", "")


def test_replaces_unpaired_surrogate() -> None:
    assert text.remove_invalid_characters("a\ud800b\x00c") == "a\ufffdbc"


@given(st.text(max_size=80), st.integers(24, 255))
def test_clean_name_returns_safe_names(raw: str, limit: int) -> None:
    name = clean_name(raw, limit)
    assert name
    assert not {unicodedata.category(character) for character in name} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not set(name) & set("/\\")
    assert name not in {".", ".."}
    assert len(name.encode()) <= limit
