"""Files inside PDF files, office files and archives: which are offered, their exact bytes, and bombs."""

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
from docyard.readers.file_types import media_type
from tests.making.holding import docx_with, ole_package, pdf_with, tar_of
from tests.making.office.compound import compound
from tests.making.office.winmail import winmail
from tests.making.reading import read, refusal

INVOICE = b"<rsm:CrossIndustryInvoice>1,250.00</rsm:CrossIndustryInvoice>"
Packer = Callable[[bytes], bytes]
PACKERS: dict[str, Packer] = {
    "tar": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
packers = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
BOMB = "as bombs do"


def taken_out(folder: Path, content: bytes) -> dict[str, bytes]:
    """Every file that is offered, by the name it would have, with its bytes."""
    limits = Limits()
    found = read(folder, content, limits=limits)
    path = folder / "again"
    path.write_bytes(content)
    kind = media_type(path, "a file")
    files = {each.name: formats.read_member(path, kind, each.member, limits) for each in found.attachments}
    assert [len(data) for data in files.values()] == [each.size for each in found.attachments]
    return files


def test_the_data_of_an_invoice_is_a_file_of_its_own(tmp_path: Path) -> None:
    made = pdf_with({"factur-x.xml": INVOICE, "../../etc/passwd": b"x"})
    assert taken_out(tmp_path, made) == {"factur-x.xml": INVOICE, "passwd": b"x"}
    assert read(tmp_path, made).pages[0].text.startswith("An invoice with its data.")


def test_a_pdf_with_many_files_gives_no_more_than_the_limits_allow(tmp_path: Path) -> None:
    made = pdf_with({f"{number}.txt": bytes([number]) for number in range(5)})
    found = read(tmp_path, made, limits=Limits(attachments=2))
    assert len(found.attachments) == 2
    assert "Only 2 of the 5 files inside it were taken out." in found.notes
    found = read(tmp_path, made, limits=Limits(unpacked_bytes=3))
    assert len(found.attachments) == 3
    assert "2 files inside it could not be taken out" in found.notes[0]


def test_files_put_into_an_office_file_come_out_as_they_were(tmp_path: Path) -> None:
    made = docx_with(
        {
            "Sheet1.xlsx": b"PK a sheet",
            "chart.xlsx": b"PK data of a chart",
            "oleObject1.bin": ole_package("plan of the pier.txt", b"the plan"),
            "oleObject2.bin": compound({"Equation Native": b"x = y"}),
            "oleObject3.bin": compound({"CONTENTS": b"%PDF-1.7 inside"}),
            "oleObject4.bin": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 damaged",
        }
    )
    assert taken_out(tmp_path, made) == {
        "Sheet1.xlsx": b"PK a sheet",
        "plan of the pier.txt": b"the plan",
        "oleObject3.bin": b"%PDF-1.7 inside",
    }
    found = read(tmp_path, made)
    assert found.pages[0].text.startswith("See the files.")
    assert found.notes == (
        "Attachments that could not be extracted because they are damaged or too large: 1.",
    )


@pytest.mark.parametrize("html", ["", "<p>Please <b>see</b> the plan.</p>"])
def test_what_outlook_hides_in_winmail_comes_out(tmp_path: Path, html: str) -> None:
    files = [("Plan für den Kai.txt", b"the plan"), ("../list.csv", b"a,b")]
    made = winmail("The quay", "" if html else "Please see the plan.", files, html)
    assert taken_out(tmp_path, made) == {"Plan für den Kai.txt": b"the plan", "list.csv": b"a,b"}
    found = read(tmp_path, made)
    assert found.metadata_title == "The quay"
    assert found.pages[0].text.replace("*", "").startswith("Please see the plan.")
    for cut in range(6, len(made), 7):
        read(tmp_path, made[:cut])  # what was cut off gives what there is


@packers
def test_an_archive_gives_its_files_and_nothing_that_leads_elsewhere(tmp_path: Path, pack: Packer) -> None:
    made = tar_of(
        {"../../etc/cron.d/job": b"one", "/absolute.txt": b"two", "deep/a\x07b.txt": b"three", "none": b""},
        ("link", tarfile.SYMTYPE, "/etc/passwd"),
        ("hard", tarfile.LNKTYPE, "/absolute.txt"),
        ("null", tarfile.CHRTYPE, ""),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("folder", tarfile.DIRTYPE, ""),
    )
    assert taken_out(tmp_path, pack(made)) == {"job": b"one", "absolute.txt": b"two", "ab.txt": b"three"}
    found = read(tmp_path, pack(made))
    assert "| ../../etc/cron.d/job | 3 |" in found.pages[0].text
    assert found.notes == ("Links, devices and sparse files in the archive that were skipped: 4.",)


@packers
def test_archives_that_would_be_too_much_are_refused(tmp_path: Path, pack: Packer) -> None:
    crowd = pack(tar_of({f"{number}.txt": b"x" for number in range(51)}))
    assert "more than 50 members" in refusal(tmp_path, crowd, limits=Limits(archive_members=50))[1]
    large = pack(tar_of({"a": bytes(range(256)) * 8000, "b": bytes(range(256)) * 8000}))
    assert "more than 3 MB" in refusal(tmp_path, large, limits=Limits(unpacked_bytes=3 * MEGABYTE))[1]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("content", [bytes(40 * MEGABYTE), tar_of({"a": bytes(40 * MEGABYTE)})])
def test_what_unpacks_to_far_more_than_it_is_is_refused(tmp_path: Path, pack: Packer, content: bytes) -> None:
    category, words = refusal(tmp_path, pack(content))
    assert (category, BOMB in words) == ("validation", True)


def test_one_packed_file_keeps_its_name(tmp_path: Path) -> None:
    made = io.BytesIO()
    with gzip.GzipFile("/var/reports/June.txt", "wb", fileobj=made) as file:
        file.write(b"the report")
    assert taken_out(tmp_path, made.getvalue()) == {"June.txt": b"the report"}
    assert taken_out(tmp_path, bz2.compress(b"the report")) == {"content": b"the report"}


@packers
def test_an_archive_that_was_cut_off_says_so(tmp_path: Path, pack: Packer) -> None:
    whole = pack(tar_of({"a.txt": bytes(range(256)) * 100}))
    assert refusal(tmp_path, whole[: len(whole) // 3])[0] == "corrupt"


@pytest.mark.parametrize("head", [b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd"])
def test_other_archives_say_what_to_do(tmp_path: Path, head: bytes) -> None:
    category, words = refusal(tmp_path, head + bytes(range(200)))
    assert (category, "upload it as ZIP" in words) == ("unsupported_file_type", True)
