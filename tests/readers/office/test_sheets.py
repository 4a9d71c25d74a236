"""Sheets become tables under their names, with formatted values."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from docyard.model.limits import Limits
from docyard.readers.sheets import workbook
from docyard.readers.sheets.number_formats import format_number, parse_format
from tests.builders.file_reads import read_file, read_rejection, read_text
from tests.builders.office.binary_sheets import encrypted_xls, xlsb
from tests.builders.office.compound_files import make_compound
from tests.builders.office.packages import make_zip, number_cell, relationships, text_cell, xlsx


def test_formats_values_as_displayed(tmp_path: Path) -> None:
    rows = [
        text_cell("A1", "what") + text_cell("B1", "how much"),
        text_cell("A2", "whole") + number_cell("B2", 12.0),
        text_cell("A3", "part") + number_cell("B3", 0.1 + 0.2),
        text_cell("A4", "day") + number_cell("B4", 45000, 1),
        text_cell("A5", "large") + number_cell("B5", 1234567890123456),
    ]
    lines = read_text(tmp_path, xlsx(rows, name="Costs & more".replace("&", "&amp;"))).split("\n")
    assert lines[:4] == ["## Costs & more", "", "| what | how much |", "| --- | --- |"]
    assert lines[4:] == ["| whole | 12 |", "| part | 0.3 |", "| day | 2023-03-15 |", "| large | 1234567890123456 |"]


def test_splits_tables_at_empty_rows() -> None:
    rows = [["Title", "", ""], ["", "", ""], ["", "a", "b"], ["", "1", "2"]]
    assert list(workbook.make_tables(rows)) == ["Title", "| a | b |\n| --- | --- |\n| 1 | 2 |"]


def test_repeats_header_of_long_sheet_on_every_page(tmp_path: Path) -> None:
    rows = [text_cell("A1", "name") + text_cell("B1", "value")]
    rows += [text_cell(f"A{row}", f"row {row} " * 5) + number_cell(f"B{row}", row) for row in range(2, 1200)]
    pages = read_file(tmp_path, xlsx(rows)).pages
    assert len(pages) > 2
    assert all("| name | value |\n| --- | --- |\n" in page.text for page in pages)
    assert sum(page.text.count("| row ") for page in pages) == 1198


def test_rejects_distant_cells(tmp_path: Path) -> None:
    made = xlsx([text_cell("A1", "a") + '</row><row r="1048576">' + text_cell("XFD1048576", "b")])
    assert read_rejection(tmp_path, made) == ("validation", "A sheet spans more than 20,000,000 cells.")


@pytest.mark.parametrize("cells", [5, 6])
def test_limits_bounding_rectangle_of_cells(tmp_path: Path, cells: int) -> None:
    made = xlsx([text_cell("A1", "a") + text_cell("B1", "b"), "", text_cell("B3", "c")])
    limits = replace(Limits(), sheet_cells=cells)
    if cells < 6:
        assert read_rejection(tmp_path, made, limits=limits)[0] == "validation"
    else:
        assert "| a | b |" in read_file(tmp_path, made, limits=limits).pages[0].text


def test_rejects_damaged_workbooks_as_corrupt(tmp_path: Path) -> None:
    # An empty record causes a Rust panic in the library, and a panic is not a subclass of Exception.
    damaged = ("corrupt", "The file is damaged: its sheets cannot be read.")
    assert read_rejection(tmp_path, make_compound({"Workbook": b"\x09\x08" + bytes(5000)})) == damaged
    assert read_rejection(tmp_path, xlsx([], prolog="<x"))[0] == "corrupt"


def test_reads_binary_workbook(tmp_path: Path) -> None:
    made = xlsb([["Berth", "Length"], ["North pier", 12.5], ["South pier", 9.0]], "Berths")
    assert read_text(tmp_path, made, "berths.xlsb") == (
        "## Berths\n\n| Berth | Length |\n| --- | --- |\n| North pier | 12.5 |\n| South pier | 9 |"
    )
    far = xlsb([["a"] * 30, ["b"] * 30], last_row=1_048_575)
    assert read_rejection(tmp_path, far) == ("validation", "A sheet spans more than 20,000,000 cells.")


def test_reads_comments_and_text_boxes(tmp_path: Path) -> None:
    others = {
        "xl/worksheets/_rels/sheet1.xml.rels": relationships(
            ("drawing", "../drawings/drawing1.xml"), ("comments", "../comments1.xml")
        ),
        "xl/drawings/drawing1.xml": "<d><sp><txBody><p><r><t>In a </t></r><r><t>box</t></r></p></txBody></sp></d>",
        "xl/comments1.xml": "<c><authors><author>Ann</author></authors><commentList><comment ref='A1' "
        "authorId='0'><text><r><t>Why?</t></r></text></comment><comment ref='A2' authorId='9'><text>"
        "<t>[Threaded comment] for older programs</t></text></comment></commentList></c>",
    }
    expected = "## Data\n\nx\n\nIn a box\n\nA1 Comment by Ann: Why?"
    assert read_text(tmp_path, xlsx([text_cell("A1", "x")], others=others)) == expected
    damaged = read_file(tmp_path, xlsx([text_cell("A1", "x")], others=others | {"xl/comments1.xml": "<c>"}))
    assert damaged.pages[0].text == "## Data\n\nx"
    assert damaged.notes == ("Comments and text boxes on the sheets could not be read.",)


@pytest.mark.parametrize(
    ("code", "value", "expected"),
    [
        ("0%", 0.195, "19.5%"),
        ("0.00%", 0.19, "19.00%"),
        ('#,##0.00 "€"', 1234.5, "1234.50 €"),
        ("[$$-409]#,##0.00;[Red]-[$$-409]#,##0.00", -5, "-$5.00"),
        (r"#,##0.00\ [$€-407]", 0.1 + 0.2, "0.30 €"),
        ("00000", 1234, "01234"),
        ('"EUR" 0', 1e300, "1e+300"),
    ],
)
def test_applies_number_formats(code: str, value: float, expected: str) -> None:
    number_format = parse_format(code)
    assert number_format is not None
    assert format_number(value, number_format) == expected


@pytest.mark.parametrize("code", ["", "General", "0.00", "#,##0", "dd.mm.yyyy", "0.00E+00", "# ?/?", "@", '0 "kg"'])
def test_ignores_other_number_formats(code: str) -> None:
    assert parse_format(code) is None


def test_applies_formats_to_their_cells(tmp_path: Path) -> None:
    styles = (
        '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts><numFmt '
        'numFmtId="164" formatCode="00000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/>'
        '<xf numFmtId="164"/></cellXfs></styleSheet>'
    )
    rows = [
        "",
        text_cell("B2", "rate") + text_cell("C2", "zip"),
        number_cell("B3", 0.19, 1) + number_cell("C3", 1067, 2),
    ]
    made = xlsx(rows, others={"xl/styles.xml": styles})
    assert read_text(tmp_path, made) == "## Data\n\n| rate | zip |\n| --- | --- |\n| 19% | 01067 |"


def test_shows_uncomputed_formulas(tmp_path: Path) -> None:
    rows = [
        number_cell("A1", 2) + '<c r="B1"><f>A1&lt;3</f><v></v></c><c r="C1"><f>A1*2</f><v>4</v></c>',
        number_cell("A2", 2) + '<c r="B2" t="str"><f>IF(A1,"","x")</f><v></v></c>' + text_cell("C2", "x"),
    ]
    found = read_file(tmp_path, xlsx(rows))
    assert found.pages[0].text == "## Data\n\n| 2 | =A1<3 | 4 |\n| --- | --- | --- |\n| 2 |  | x |"
    assert found.notes == ("Cells whose formulas were never computed, shown as formulas: 1.",)


def test_rejects_distant_cells_of_xls(tmp_path: Path) -> None:
    begin = struct.pack("<HHHH", 0x0809, 4, 0x0600, 0x0010)
    near, far = (struct.pack("<HHHHHd", 0x0203, 14, row, row, 0, 1.0) for row in (0, 0xFFFE))
    far_cells = ("validation", "A sheet spans more than 20,000,000 cells.")
    assert read_rejection(tmp_path, make_compound({"Workbook": begin + near + far + bytes(4096)})) == far_cells


def test_rejects_an_xls_file_with_a_password(tmp_path: Path) -> None:
    assert read_rejection(tmp_path, encrypted_xls()) == ("encrypted", "The file needs a password.")


def test_rejects_an_ods_file_with_a_password(tmp_path: Path) -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    made = make_zip({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": b"\x93\x17"})
    assert read_rejection(tmp_path, made) == ("encrypted", "The file needs a password.")
