"""The content decides what a file is; the name only tells kinds of text apart."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from docyard.engines.filetype import media_type
from tests.making.pdfs import text_pdf

OFFICE = "application/vnd.openxmlformats-officedocument."
PLAIN = "The weather was fine, and nothing else happened that day.\nWe went home.\n"


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (text_pdf(["x"]), "letter.docx", "application/pdf"),
        (b"junk from a mail gateway\r\n" * 5 + text_pdf(["x"]), "a", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a.txt", "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(20), "a.pdf", "image/jpeg"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 " + bytes(20), "a", "image/webp"),
        (b"\x00\x00\x00\x18ftypheic" + bytes(20), "a", "image/heic"),
        (b"II*\x00" + bytes(20), "a", "image/tiff"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(20), "a.doc", "application/x-ole-storage"),
        (b"\x1f\x8b\x08\x00" + bytes(20), "a", "application/gzip"),
        (b"MZ\x90\x00\x03" + bytes(20), "holiday.pdf", "application/vnd.microsoft.portable-executable"),
        (b"{\\rtf1\\ansi hello}", "a.txt", "application/rtf"),
        (bytes(range(256)) * 4, "a.txt", "application/octet-stream"),
        (PLAIN.encode(), "a", "text/plain"),
        (PLAIN.encode(), "a.md", "text/markdown"),
        (PLAIN.encode(), "a.pdf", "text/plain"),
        (PLAIN.encode("utf-16"), "a", "text/plain"),
        (PLAIN.encode("utf-16-le"), "a", "text/plain"),
        ("Grüße aus Köln, schöne Straße".encode("cp1252"), "a", "text/plain"),
        (b"BMW sold more cars than ever, it said.\n", "a", "text/plain"),
        (b"MZ is where the letter begins.\n", "a", "text/plain"),
        (b"# Title\n\nSome [link](http://a.b).\n", "a", "text/markdown"),
        (b"a,b,c\n1,2,3\n4,5,6\n7,8,9\n", "a", "text/csv"),
        (b"<!DOCTYPE html>\n<html><body>x</body></html>", "a.txt", "text/html"),
        (b'<?xml version="1.0"?><a/>', "a", "text/xml"),
        (b'{"a": [1, 2]}', "a", "application/json"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: x\nDate: now\n\nhello\n", "a", "message/rfc822"),
    ],
)
def test_content_decides(content: bytes, name: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(content)
    assert media_type(path, name) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["[Content_Types].xml", "word/document.xml"], OFFICE + "wordprocessingml.document"),
        (["[Content_Types].xml", "xl/workbook.xml"], OFFICE + "spreadsheetml.sheet"),
        (["[Content_Types].xml", "ppt/presentation.xml"], OFFICE + "presentationml.presentation"),
        (["word/notes.txt"], "application/zip"),
        (["mimetype"], "application/vnd.oasis.opendocument.text"),
    ],
)
def test_archives_are_known_by_their_members(members: list[str], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "blob"
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, "application/vnd.oasis.opendocument.text")
    assert media_type(path, "a.zip") == expected


def test_a_cut_off_archive_is_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(b"PK\x03\x04" + bytes(40))
    assert media_type(path, "a.docx") == "application/zip"
