"""Hostile files (bombs, entities, path names) are rejected with a reason or read without harm."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.limits import MEGABYTE, Limits
from docyard.readers import formats
from tests.builders.file_reads import read_file, read_rejection, read_text
from tests.builders.office.packages import docx, make_zip, odf, paragraph, relationships, text_cell, xlsx

XXE = '<!DOCTYPE x [<!ENTITY leak SYSTEM "file:///etc/hostname">]>'
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
DTD = ("validation", "The file contains a DTD, which can declare XML entities. Such files are not read.")
ZIP = "application/zip"


@pytest.mark.parametrize("prolog", [XXE, LAUGHS, '<?xml version="1.0"?>\n<!-- x -->\n' + XXE])
def test_rejects_declared_entities(tmp_path: Path, prolog: str) -> None:
    assert read_rejection(tmp_path, docx(paragraph("&leak;"), prolog=prolog)) == DTD
    assert read_rejection(tmp_path, odf("<text:p>&leak;</text:p>", prolog=prolog)) == DTD
    assert read_rejection(tmp_path, xlsx([text_cell("A1", "x")], prolog=prolog)) == DTD
    slide = f'{prolog}<p:presentation xmlns:p="p"/>'
    assert read_rejection(tmp_path, make_zip({"[Content_Types].xml": "<Types/>", "ppt/presentation.xml": slide})) == DTD


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_rejects_entities_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    body = f'{XXE}<w:document xmlns:w="w"><w:body>{paragraph("&leak;")}</w:body></w:document>'
    made = make_zip({"[Content_Types].xml": "<Types/>", "word/document.xml": body.encode(encoding)})
    assert read_rejection(tmp_path, made) == DTD


def test_rejects_entities_in_secondary_part(tmp_path: Path) -> None:
    body = '<d xmlns:w="w"><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></d>'
    made = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": body,
        "word/_rels/document.xml.rels": relationships(("styles", "styles.xml")),
        "word/styles.xml": f"{XXE}<styles>&leak;</styles>",
    }
    assert read_rejection(tmp_path, make_zip(made)) == DTD
    made["word/_rels/document.xml.rels"] = relationships(
        ("styles", "http://127.0.0.1:9/styles.xml"), ("header", "file:///etc/hostname"), external=True
    )
    assert read_text(tmp_path, make_zip(made)) == "x"


@pytest.mark.parametrize("prolog", [XXE, LAUGHS])
def test_does_not_resolve_entities_in_markup(tmp_path: Path, prolog: str) -> None:
    name = Path("/etc/hostname").read_text().strip() if Path("/etc/hostname").exists() else "no such name"
    svg_prolog = prolog.replace("DOCTYPE x", "DOCTYPE svg")
    drawing = f'<?xml version="1.0"?>{svg_prolog}<svg><text>&leak;&c; words</text></svg>'
    for content in (drawing, f"<?xml version='1.0'?>{prolog}<x>&leak;&c;</x>", f"{prolog}<html>&leak;&c; words</html>"):
        found = read_file(tmp_path, content.encode()).pages[0].text
        assert "&leak;" in found
        assert "hahahaha" not in found
        assert name not in found.split()


def test_rejects_members_that_are_bombs(tmp_path: Path) -> None:
    bomb = make_zip({"a.txt": bytes(40 * MEGABYTE)})
    assert read_rejection(tmp_path, bomb)[1].endswith("times its size, like a decompression bomb.")
    body = '<d xmlns:w="w"><w:body>' + " " * (20 * MEGABYTE) + "</w:body></d>"
    assert (
        read_rejection(tmp_path, make_zip({"[Content_Types].xml": "<T/>", "word/document.xml": body}))[0]
        == "validation"
    )


def test_limits_total_size_and_number_of_members(tmp_path: Path) -> None:
    limits = replace(Limits(), unpacked_bytes=MEGABYTE, archive_members=50)
    many = make_zip({f"{number}.txt": bytes(range(256)) * 400 for number in range(20)})
    assert read_rejection(tmp_path, many, limits=limits) == (
        "validation",
        "The archive would unpack to more than 1 MB.",
    )
    many_members = make_zip({f"{number}.txt": b"" for number in range(51)})
    assert read_rejection(tmp_path, many_members, limits=limits) == (
        "validation",
        "The archive has more than 50 members.",
    )


def test_wrong_sizes_in_directory_do_not_exhaust_memory(tmp_path: Path) -> None:
    honest = make_zip({"big.txt": bytes(30 * MEGABYTE)})
    lying = honest.replace(struct.pack("<I", 30 * MEGABYTE), struct.pack("<I", 1000))
    path = tmp_path / "blob"
    path.write_bytes(lying)
    tracemalloc.start()
    with pytest.raises(Reject) as caught:
        formats.read_member(path, ZIP, "0", Limits())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.category == "corrupt"
    assert peak < 10 * MEGABYTE


def test_strips_paths_from_member_names(tmp_path: Path) -> None:
    names = ["../../up.txt", "/absolute.txt", "..\\..\\windows.txt", "C:\\drive.txt", "plain.txt", "nul\x00byte.txt"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, name)
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("folder/", "")
        archive.writestr("__MACOSX/._plain.txt", "litter")
    before = sorted(tmp_path.rglob("*"))
    found = read_file(tmp_path, out.getvalue())
    assert [each.name for each in found.attachments] == [
        "up.txt", "absolute.txt", "windows.txt", "drive.txt", "plain.txt", "nul",
    ]  # fmt: skip
    assert found.notes == ("Links in the archive that were skipped: 1.",)
    contents = [formats.read_member(tmp_path / "blob", ZIP, each.member, Limits()) for each in found.attachments]
    assert [data.decode().rpartition("/")[2] for data in contents][:2] == ["up.txt", "absolute.txt"]
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "blob"])


def test_does_not_count_encrypted_files_of_the_operating_system(tmp_path: Path) -> None:
    made = bytearray(make_zip({"__MACOSX/a": "x", "a.txt": "hello"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        made[made.index(signature) + offset] |= 1
    assert read_file(tmp_path, bytes(made)).notes == ()


def test_names_the_method_of_a_member_that_cannot_be_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    made = bytearray(make_zip({"a.txt": "hello"}))
    struct.pack_into("<H", made, made.rindex(b"PK\x01\x02") + 10, 9)
    path.write_bytes(made)
    with pytest.raises(Reject, match="compressed with Deflate64, which") as caught:
        formats.read_member(path, "application/zip", "0", Limits())
    assert caught.value.category == "unsupported_file_type"


def test_reports_encrypted_members_in_a_note(tmp_path: Path) -> None:
    made = bytearray(make_zip({"a.txt": b"x", "b.txt": b"y"}, zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        made[made.index(signature) + offset] |= 1
    found = read_file(tmp_path, bytes(made))
    assert found.notes == ("Files in the archive that need a password and were not extracted: 1.",)
    assert [each.name for each in found.attachments] == ["b.txt"]
    with pytest.raises(Reject) as caught:
        formats.read_member(tmp_path / "blob", ZIP, "0", Limits())
    assert caught.value.category == "encrypted"


def test_rejects_excessive_nesting(tmp_path: Path) -> None:
    deep = "<w:sdt>" * 50_000 + paragraph("x") + "</w:sdt>" * 50_000
    too_deep = ("corrupt", "The file is nested too deeply to be read.")
    assert read_rejection(tmp_path, docx(deep)) == too_deep
    tables = "<w:tbl><w:tr><w:tc>" * 3000 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 3000
    assert read_rejection(tmp_path, docx(tables)) == too_deep
    lists = "<text:list><text:list-item>" * 3000 + "</text:list-item></text:list>" * 3000
    assert read_rejection(tmp_path, odf(lists)) == too_deep


def test_rejects_damaged_archives_as_corrupt(tmp_path: Path) -> None:
    whole = docx(paragraph("x" * 5000))
    assert read_rejection(tmp_path, whole[:-40])[0] == "corrupt"
    garbled = bytearray(whole)
    garbled[whole.index(b"word/document.xml") + 30] ^= 0xFF
    assert read_rejection(tmp_path, bytes(garbled))[0] == "corrupt"


def test_rejects_damage_in_lzma_member_as_corrupt(tmp_path: Path) -> None:
    made = xlsx([text_cell("A1", "x")], others={"xl/comments1.xml": "<x/>" * 900})
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        packed = bytearray(make_zip({name: archive.read(name) for name in archive.namelist()}, zipfile.ZIP_LZMA))
    packed[packed.index(b"xl/comments1.xml") + 40] ^= 0xFF
    assert read_rejection(tmp_path, bytes(packed))[0] == "corrupt"


def test_lists_member_without_name(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"nameless")
    found = read_file(tmp_path, out.getvalue())
    assert [each.size for each in found.attachments] == [8]
