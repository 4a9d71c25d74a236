"""Word and PowerPoint files in the binary formats used before 2007."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.errors import Reject
from docyard.readers.office.doc_paragraphs import parse_paragraphs
from tests.builders.file_reads import read_file, read_rejection, read_text
from tests.builders.office.binary_office import doc, encode_paragraph, ppt, record, summary
from tests.builders.office.compound_files import make_compound


def test_finds_headings_and_tables_by_paragraph_properties(tmp_path: Path) -> None:
    row = [encode_paragraph(in_table=True), encode_paragraph(in_table=True), encode_paragraph(ends_row=True)]
    words = "Title\rHello “world”\ra\x07\x07\x07c\x07d\x07\x07End\r"
    assert read_text(
        tmp_path, doc(words, [encode_paragraph(1), encode_paragraph(), *row, *row, encode_paragraph()])
    ) == ("# Title\n\nHello “world”\n\n| a |  |\n| --- | --- |\n| c | d |\n\nEnd")


def test_reads_8_bit_text_fields_and_special_characters(tmp_path: Path) -> None:
    words = "Café \x13 HYPERLINK \x13 x \x14y\x15 \x14link\x15 non\x1ebreaking soft\x1fhyphen\r"
    assert read_text(tmp_path, doc(words, narrow=True)) == "Café link non-breaking softhyphen"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "cp1251"])
def test_reads_the_title_from_the_summary(tmp_path: Path, encoding: str) -> None:
    title = "Отчёт" if encoding == "cp1251" else "Größe"
    assert read_file(tmp_path, doc("x\r", others=summary(title, encoding))).metadata_title == title
    assert read_file(tmp_path, doc("x\r", others=summary("Plan", count=0xFFFF_FFFF))).metadata_title == "Plan"
    truncated = {name: data[:70] for name, data in summary("Plan").items()}
    assert read_file(tmp_path, doc("x\r", others=truncated)).metadata_title is None


def test_rejects_encrypted_documents(tmp_path: Path) -> None:
    assert read_rejection(tmp_path, doc("x\r", encrypted=True)) == ("encrypted", "The file needs a password.")
    assert (
        read_rejection(tmp_path, make_compound({"EncryptedPackage": b"x" * 20, "EncryptionInfo": b"y"}))[0]
        == "encrypted"
    )


def test_reads_each_slide_as_a_page(tmp_path: Path) -> None:
    found = read_file(tmp_path, ppt([[(0, "One"), (1, "a\rb")], [(0, "Two"), (1, "c")]]))
    assert [page.text for page in found.pages] == ["## One\n\n- a\n- b", "## Two\n\nc"]


def test_rejects_unsupported_formats_with_advice(tmp_path: Path) -> None:
    message = "No reader supports this format. Save the file as PDF or DOCX with the program that created it."
    assert read_rejection(tmp_path, make_compound({"Contents": b"x"})) == ("unsupported_file_type", message)
    assert read_rejection(tmp_path, b"\xffWPC" + bytes(100)) == ("unsupported_file_type", message)


@pytest.mark.parametrize("made", [doc("Hello\r", [encode_paragraph()]), ppt([[(0, "One")]])])
@settings(max_examples=60)
@given(changes=st.lists(st.tuples(st.integers(0, 8000), st.integers(0, 255)), min_size=1, max_size=20))
def test_damaged_files_are_read_or_rejected(
    made: bytes, changes: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    damaged = bytearray(made)
    for offset, value in changes:
        damaged[offset % len(damaged)] = value
    with suppress(Reject):
        read_file(tmp_path_factory.mktemp("damage"), bytes(damaged))


@given(st.binary(max_size=2000), st.binary(max_size=200))
def test_damaged_properties_raise_no_error(main: bytes, table: bytes) -> None:
    assert parse_paragraphs(main, table).find_kind(5) is not None


def test_speaker_notes_follow_their_slide(tmp_path: Path) -> None:
    text_atom = record(4000, "Speak slowly.".encode("utf-16-le"))
    notes = record(1008, record(1009, struct.pack("<II", 256, 0)) + text_atom, container=True)
    found = read_file(tmp_path, ppt([[(0, "One")], [(0, "Two")]], others=notes))
    assert [page.text for page in found.pages] == ["## One\n\nNotes: Speak slowly.", "## Two"]


def test_keeps_lines_of_slides_that_begin_with_an_asterisk(tmp_path: Path) -> None:
    text = read_text(tmp_path, ppt([[(0, "Terms"), (1, "* plus tax\r*\rprices")]]))
    assert text == "## Terms\n\n- * plus tax\n- prices"
