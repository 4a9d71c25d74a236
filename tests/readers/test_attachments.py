"""Attachments of PDF files, office files and archives: names, exact bytes, limits and decompression bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from docyard.model.limits import MEGABYTE, Limits
from docyard.readers import formats
from docyard.readers.file_types import detect_media_type
from tests.builders.container_files import make_docx_with_parts, make_ole_package, make_pdf_with_files, make_tar
from tests.builders.file_reads import read_file, read_rejection
from tests.builders.office.compound_files import make_compound
from tests.builders.office.winmail import winmail

INVOICE = b"<rsm:CrossIndustryInvoice>1,250.00</rsm:CrossIndustryInvoice>"
Packer = Callable[[bytes], bytes]
PACKERS: dict[str, Packer] = {"tar": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
packers = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
BOMB = "like a decompression bomb"


def extract_all(folder: Path, content: bytes) -> dict[str, bytes]:
    """Return the bytes of every listed attachment by name."""
    limits = Limits()
    found = read_file(folder, content, limits=limits)
    path = folder / "again"
    path.write_bytes(content)
    kind = detect_media_type(path, "a file")
    files = {each.name: formats.read_member(path, kind, each.member, limits) for each in found.attachments}
    assert [len(data) for data in files.values()] == [each.size for each in found.attachments]
    return files


def test_extracts_invoice_data_from_pdf(tmp_path: Path) -> None:
    made = make_pdf_with_files({"factur-x.xml": INVOICE, "../../etc/passwd": b"x"})
    assert extract_all(tmp_path, made) == {"factur-x.xml": INVOICE, "passwd": b"x"}
    assert read_file(tmp_path, made).pages[0].text.startswith("An invoice with its data.")


def test_limits_attachments_of_pdf(tmp_path: Path) -> None:
    made = make_pdf_with_files({f"{number}.txt": bytes([number]) for number in range(5)})
    found = read_file(tmp_path, made, limits=Limits(attachments=2))
    assert len(found.attachments) == 2
    assert "Only the first 2 of 5 attachments were extracted." in found.notes
    found = read_file(tmp_path, made, limits=Limits(unpacked_bytes=3))
    assert len(found.attachments) == 3
    assert found.notes[0].endswith("damage or the size limit: 2.")


def test_extracts_embedded_files_from_office_file(tmp_path: Path) -> None:
    made = make_docx_with_parts(
        {
            "Sheet1.xlsx": b"PK a sheet",
            "chart.xlsx": b"PK data of a chart",
            "oleObject1.bin": make_ole_package("plan of the pier.txt", b"the plan"),
            "oleObject2.bin": make_compound({"Equation Native": b"x = y"}),
            "oleObject3.bin": make_compound({"CONTENTS": b"%PDF-1.7 inside"}),
            "oleObject4.bin": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 damaged",
        }
    )
    assert extract_all(tmp_path, made) == {
        "Sheet1.xlsx": b"PK a sheet",
        "plan of the pier.txt": b"the plan",
        "oleObject3.bin": b"%PDF-1.7 inside",
    }
    found = read_file(tmp_path, made)
    assert found.pages[0].text.startswith("See the files.")
    assert found.notes == ("Attachments that could not be extracted because of damage or the size limit: 1.",)


@pytest.mark.parametrize("html", ["", "<p>Please <b>see</b> the plan.</p>"])
def test_extracts_attachments_from_winmail(tmp_path: Path, html: str) -> None:
    files = [("Plan für den Kai.txt", b"the plan"), ("../list.csv", b"a,b")]
    made = winmail("The quay", "" if html else "Please see the plan.", files, html)
    assert extract_all(tmp_path, made) == {"Plan für den Kai.txt": b"the plan", "list.csv": b"a,b"}
    found = read_file(tmp_path, made)
    assert found.metadata_title == "The quay"
    assert found.pages[0].text.replace("*", "").startswith("Please see the plan.")
    for cut in range(6, len(made), 7):
        read_file(tmp_path, made[:cut])  # truncated files are read as far as possible


@packers
def test_extracts_files_but_not_links_from_archive(tmp_path: Path, pack: Packer) -> None:
    made = make_tar(
        {"../../etc/cron.d/job": b"one", "/absolute.txt": b"two", "deep/a\x07b.txt": b"three", "none": b""},
        ("link", tarfile.SYMTYPE, "/etc/passwd"),
        ("hard", tarfile.LNKTYPE, "/absolute.txt"),
        ("null", tarfile.CHRTYPE, ""),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("folder", tarfile.DIRTYPE, ""),
    )
    assert extract_all(tmp_path, pack(made)) == {"job": b"one", "absolute.txt": b"two", "ab.txt": b"three"}
    found = read_file(tmp_path, pack(made))
    assert "| ../../etc/cron.d/job | 3 |" in found.pages[0].text
    assert found.notes == ("Links, devices and sparse files in the archive that were skipped: 4.",)


@packers
def test_rejects_archives_that_exceed_limits(tmp_path: Path, pack: Packer) -> None:
    many = pack(make_tar({f"{number}.txt": b"x" for number in range(51)}))
    assert "more than 50 members" in read_rejection(tmp_path, many, limits=Limits(archive_members=50))[1]
    large = pack(make_tar({"a": bytes(range(256)) * 8000, "b": bytes(range(256)) * 8000}))
    assert "more than 3 MB" in read_rejection(tmp_path, large, limits=Limits(unpacked_bytes=3 * MEGABYTE))[1]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("content", [bytes(40 * MEGABYTE), make_tar({"a": bytes(40 * MEGABYTE)})])
def test_rejects_decompression_bombs(tmp_path: Path, pack: Packer, content: bytes) -> None:
    category, message = read_rejection(tmp_path, pack(content))
    assert (category, BOMB in message) == ("validation", True)


def test_keeps_name_of_single_compressed_file(tmp_path: Path) -> None:
    made = io.BytesIO()
    with gzip.GzipFile("/var/reports/June.txt", "wb", fileobj=made) as file:
        file.write(b"the report")
    assert extract_all(tmp_path, made.getvalue()) == {"June.txt": b"the report"}
    assert extract_all(tmp_path, bz2.compress(b"the report")) == {"content": b"the report"}


@packers
def test_rejects_truncated_archive_as_corrupt(tmp_path: Path, pack: Packer) -> None:
    whole = pack(make_tar({"a.txt": bytes(range(256)) * 100}))
    assert read_rejection(tmp_path, whole[: len(whole) // 3])[0] == "corrupt"


@pytest.mark.parametrize("head", [b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd"])
def test_rejects_unsupported_archives_with_advice(tmp_path: Path, head: bytes) -> None:
    category, message = read_rejection(tmp_path, head + bytes(range(200)))
    assert (category, "upload it as ZIP" in message) == ("unsupported_file_type", True)
