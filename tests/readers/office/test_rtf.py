"""RTF as Markdown: charsets, headings, tables, notes and boxes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.readers.office import rtf
from tests.builders.file_reads import read_file


def blocks(body: str) -> list[str]:
    return rtf.parse_blocks("{\\rtf1\\ansi " + body + "}")[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"one\par two", ["one", "two"]),
        (r"\'e4\u8211?\u-10179?x", ["ä–\ud83dx"]),
        (r"{\uc2\u8364 EU}R", ["€R"]),
        (r"a\{b\}\\c\~d\_e\-f", [r"a{b}\c d-ef"]),
        (r"{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 Mine;}}\s1 A\par\pard\s2 B\par\pard C", ["# A", "## B", "C"]),
        (r"\intbl a\cell b\cell\row\intbl c\cell d\cell\row\pard e", ["| a | b |\n| --- | --- |\n| c | d |", "e"]),
        (r"{\pict\bin4 }{}{x}y}{\*\unknown gone}z", ["yz"]),
        (r"{\field{\*\fldinst HYPERLINK x}{\fldrslt shown}}", ["shown"]),
        (r"{\fonttbl{\f1\fcharset204 A;}}\f1\'cf\'f0\'e8", ["При"]),
        (r"{\fonttbl{\f0\fcharset128 A;}}\f0\'93\'fa\'96\'7b", ["日本"]),
        (r"\ansicpg1250\'b9", ["ą"]),
        (r"x}}}} y", ["x y"]),
        (
            r"a{\footnote\pard why{\b  not}\par}b{\*\atnauthor Ann}{\*\annotation see\par me}c\par d",
            ["a[^1]b[^c2]c", "d", "[^1]: why not", "[^c2]: Comment by Ann: see me"],
        ),
        (r"a{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt in a box\par}}}b\par", ["in a box", "ab"]),
        (r"\intbl x{\footnote y}\cell z\cell\row", ["| x[^1] | z |\n| --- | --- |", "[^1]: y"]),
        (r"a{\v hidden}b\deleted gone\plain c\v\v0 d", ["abcd"]),
        (r"a{\footnote never closed", ["a[^1]", "[^1]: never closed"]),
    ],
)
def test_reads_blocks(body: str, expected: list[str]) -> None:
    assert blocks(body) == expected


def test_reads_the_title_from_the_information_group(tmp_path: Path) -> None:
    found = read_file(tmp_path, b"{\\rtf1{\\info{\\title My title}{\\author Me}}Hello\\par}")
    assert (found.metadata_title, found.pages[0].text) == ("My title", "Hello")


@given(st.text(alphabet=st.sampled_from("\\{}'*abcellrowpardu0123456789- \n"), max_size=200))
def test_reads_any_input_without_error(source: str) -> None:
    blocks(source)
