"""File types are detected from content; the name only decides between kinds of text."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from docyard.readers import formats
from docyard.readers.file_types import detect_media_type
from tests.builders.office.binary_office import doc, msg, ppt
from tests.builders.office.compound_files import make_compound
from tests.builders.office.packages import make_zip
from tests.builders.pdf.pdfs import make_text_pdf

OFFICE = "application/vnd.openxmlformats-officedocument."
PLAIN = "The weather was fine, and nothing else happened that day.\nWe went home.\n"


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (make_text_pdf(["x"]), "letter.docx", "application/pdf"),
        (b"junk from a mail gateway\r\n" * 5 + make_text_pdf(["x"]), "a", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a.txt", "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(20), "a.pdf", "image/jpeg"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 " + bytes(20), "a", "image/webp"),
        (b"\x00\x00\x00\x18ftypheic" + bytes(20), "a", "image/heic"),
        (b"II*\x00" + bytes(20), "a", "image/tiff"),
        (b"\x00\x00\x00\x0cjP  \r\n\x87\n" + bytes(20), "a", "image/jp2"),
        (b"P6\n# made by a scanner\n300 20\n255\n" + b"\xff" * 9000, "a.txt", "image/x-portable-anymap"),
        (b"P6 10 runners came in.\n", "a", "text/plain"),
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
        (b"Received: x\n y\nX-Odd: z\nMessage-ID: <a@b>\n\nhello\n", "a.txt", "message/rfc822"),
        (b"Subject: x\n\nhello\n", "a.eml", "message/rfc822"),
        (b"Subject: x\n\nhello\n", "a.txt", "text/plain"),
        (b"From a@b.c Mon Mar 2 2026\nFrom: a@b.c\nTo: d@e.f\nDate: x\n\nhi\n", "a", "application/mbox"),
        (b"From here on, it was fine.\nAnd we went home.\n", "a", "text/plain"),
        (b"From: a@b.c\nTo: d@e.f\nDate: x\n\n%PDF-1.4 is how it begins", "a", "message/rfc822"),
        (b"\xff\xd8\xff\xe0" + bytes(1000) + b"%PDF-1.4", "a.pdf", "image/jpeg"),
        (b"GIF89a" + bytes(10) + b"<script>alert(1)</script>", "a.html", "image/gif"),
        (make_text_pdf(["x"]) + b"PK\x03\x04", "a.zip", "application/pdf"),
        (make_zip({"a.pdf": make_text_pdf(["x"])}, zipfile.ZIP_STORED), "a.pdf", "application/zip"),
        (b"PK\x05\x06" + bytes(18), "empty.docx", "application/zip"),
        (b"<!-- x -->\n<HTML><body>", "a.pdf", "text/html"),
        (b"<p>a</p><p>b</p><p>c</p>", "a", "text/html"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg/>', "a", "image/svg+xml"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "a.xml", "image/svg+xml"),
        (b"<svgx/>", "a.svg", "text/plain"),
        (b"BEGIN:VCARD\r\nFN:x\r\nEND:VCARD", "a", "text/vcard"),
        (b"BEGIN:VCALENDAR\nEND:VCALENDAR", "a.txt", "text/calendar"),
        (b"\xffWPC" + bytes(20), "a.doc", "application/vnd.wordperfect"),
        (doc("x\r"), "a.xls", "application/msword"),
        (ppt([]), "a.doc", "application/vnd.ms-powerpoint"),
        (msg({}), "a.doc", "application/vnd.ms-outlook"),
        (make_compound({"Workbook": b"x"}), "a.doc", "application/vnd.ms-excel"),
        (make_compound({"EncryptedPackage": b"x"}), "a.docx", "application/vnd.ms-office.encrypted"),
        (doc("x\r")[:600], "a.doc", "application/x-ole-storage"),
    ],
)
def test_detects_type_from_content(content: bytes, name: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(content)
    assert detect_media_type(path, name) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["[Content_Types].xml", "word/document.xml"], OFFICE + "wordprocessingml.document"),
        (["[Content_Types].xml", "xl/workbook.xml"], OFFICE + "spreadsheetml.sheet"),
        (["[Content_Types].xml", "ppt/presentation.xml"], OFFICE + "presentationml.presentation"),
        (
            [*(f"x{number}" for number in range(300)), "ppt/a", "[Content_Types].xml"],
            OFFICE + "presentationml.presentation",
        ),
        (["word/notes.txt"], "application/zip"),
        (["mimetype"], "application/vnd.oasis.opendocument.text"),
        (["META-INF/container.xml"], "application/epub+zip"),
    ],
)
def test_detects_archive_type_from_members(members: list[str], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "blob"
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, "application/vnd.oasis.opendocument.text")
    assert detect_media_type(path, "a.zip") == expected


def test_detects_truncated_archive_as_archive(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(b"PK\x03\x04" + bytes(40))
    assert detect_media_type(path, "a.docx") == "application/zip"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (f"{OFFICE}wordprocessingml.template.main+xml", f"{OFFICE}wordprocessingml.template"),
        (f"{OFFICE}presentationml.slideshow.main+xml", f"{OFFICE}presentationml.slideshow"),
        ("application/vnd.ms-word.document.macroEnabled.main+xml", "application/vnd.ms-word.document.macroEnabled.12"),
        (
            "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
            "application/vnd.ms-word.template.macroEnabled.12",
        ),
        (
            "application/vnd.ms-excel.sheet.binary.macroEnabled.main",
            "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
        ),
        ("application/x-nonsense.main+xml", f"{OFFICE}wordprocessingml.document"),
    ],
)
def test_detects_office_package_from_declared_type(declared: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(make_zip({"[Content_Types].xml": f'<Types><O ContentType="{declared}"/></Types>', "word/x": ""}))
    assert detect_media_type(path, "a") == expected
    assert formats.is_supported(expected)


def test_ignores_unknown_declared_type_of_archive(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(make_zip({"mimetype": "application/pdf"}))
    assert detect_media_type(path, "a.pdf") == "application/zip"
