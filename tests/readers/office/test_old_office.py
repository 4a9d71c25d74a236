"""Word and PowerPoint of before 2007, read from their published formats."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.errors import Reject
from docyard.readers.office.doc_paragraphs import paragraphs_of
from tests.making.office.compound import compound
from tests.making.office.old_office import doc, kind, ppt, record, summary
from tests.making.reading import read, refusal, text


def test_headings_and_tables_by_paragraph_properties(tmp_path: Path) -> None:
    row = [kind(in_table=True), kind(in_table=True), kind(ends_row=True)]
    words = "Title\rHello “world”\ra\x07\x07\x07c\x07d\x07\x07End\r"
    assert text(tmp_path, doc(words, [kind(1), kind(), *row, *row, kind()])) == (
        "# Title\n\nHello “world”\n\n| a |  |\n| --- | --- |\n| c | d |\n\nEnd"
    )


def test_one_byte_letters_fields_and_signs(tmp_path: Path) -> None:
    words = "Café \x13 HYPERLINK \x13 x \x14y\x15 \x14link\x15 non\x1ebreaking soft\x1fhyphen\r"
    assert text(tmp_path, doc(words, narrow=True)) == "Café link non-breaking softhyphen"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "cp1251"])
def test_the_title_of_the_summary(tmp_path: Path, encoding: str) -> None:
    title = "Отчёт" if encoding == "cp1251" else "Größe"
    assert read(tmp_path, doc("x\r", others=summary(title, encoding))).metadata_title == title
    assert read(tmp_path, doc("x\r", others=summary("Plan", count=0xFFFF_FFFF))).metadata_title == "Plan"
    torn = {name: data[:70] for name, data in summary("Plan").items()}
    assert read(tmp_path, doc("x\r", others=torn)).metadata_title is None


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    assert refusal(tmp_path, doc("x\r", encrypted=True)) == ("encrypted", "The file needs a password.")
    assert (
        refusal(tmp_path, compound({"EncryptedPackage": b"x" * 20, "EncryptionInfo": b"y"}))[0] == "encrypted"
    )


def test_slides_are_pages(tmp_path: Path) -> None:
    found = read(tmp_path, ppt([[(0, "One"), (1, "a\rb")], [(0, "Two"), (1, "c")]]))
    assert [page.text for page in found.pages] == ["## One\n\n- a\n- b", "## Two\n\nc"]


def test_what_nobody_reads_says_what_to_do(tmp_path: Path) -> None:
    words = "No reader supports this format. Save the file as PDF or DOCX with the program that created it."
    assert refusal(tmp_path, compound({"Contents": b"x"})) == ("unsupported_file_type", words)
    assert refusal(tmp_path, b"\xffWPC" + bytes(100)) == ("unsupported_file_type", words)


@pytest.mark.parametrize("made", [doc("Hello\r", [kind()]), ppt([[(0, "One")]])])
@settings(max_examples=60)
@given(places=st.lists(st.tuples(st.integers(0, 8000), st.integers(0, 255)), min_size=1, max_size=20))
def test_damage_ends_in_text_or_in_a_reason(
    made: bytes, places: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    damaged = bytearray(made)
    for place, value in places:
        damaged[place % len(damaged)] = value
    with suppress(Reject):
        read(tmp_path_factory.mktemp("damage"), bytes(damaged))


@given(st.binary(max_size=2000), st.binary(max_size=200))
def test_damaged_properties_only_cost_the_structure(main: bytes, table: bytes) -> None:
    assert paragraphs_of(main, table).at(5) is not None


def test_what_the_speaker_wrote_down_follows_the_slide(tmp_path: Path) -> None:
    spoken = record(4000, "Speak slowly.".encode("utf-16-le"))
    notes = record(1008, record(1009, struct.pack("<II", 256, 0)) + spoken, container=True)
    found = read(tmp_path, ppt([[(0, "One")], [(0, "Two")]], others=notes))
    assert [page.text for page in found.pages] == ["## One\n\nNotes: Speak slowly.", "## Two"]
