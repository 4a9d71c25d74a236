"""A title a person would give, or none; a language, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.engines import language
from docyard.model.values import Source
from docyard.stages import classify
from tests.making.given import extracted, given

ENGLISH = "This agreement is made between the parties and shall be governed by the laws of the state."
GERMAN = "Dieser Vertrag wird zwischen den Parteien geschlossen und unterliegt dem deutschen Recht."


def title(text: str, metadata: str | None = None, name: str = "scan0001.pdf") -> str | None:
    return classify.run(given(Source(Path(), name, None, None), extracted(text, title=metadata))).title


@pytest.mark.parametrize(
    "metadata",
    [
        "Microsoft Word - contract.doc",
        "untitled",
        "Untitled document",
        "contract_final_v2",
        "report.pdf",
        "Document1",
        "123 456",
        "file:///C:/a/b",
        "Scan0001",
        "",
        "x" * 200,
    ],
)
def test_a_programs_title_is_no_title(metadata: str) -> None:
    assert title("Lease of premises\n\nBetween A and B", metadata) == "Lease of premises"


@pytest.mark.parametrize("metadata", ["Annual Report 2024", "Presentation skills for engineers"])
def test_a_given_title_is_kept(metadata: str) -> None:
    assert title("Something else", metadata) == metadata


def test_a_heading_comes_before_the_first_line() -> None:
    assert title("Draft, do not share\n\n# The plan #\n\ntext") == "The plan"


def test_the_first_sensible_line() -> None:
    assert title("12/05/2024\n---\n  a\n\n  Minutes   of the meeting \nmore") == "Minutes of the meeting"


def test_a_table_is_called_what_its_file_is_called() -> None:
    rows = "## Sheet1\n\n| name | price |\n| --- | --- |\n| nut | 3 |"
    assert title(rows, name="Spare parts 2026.xlsx") == "Spare parts 2026"
    assert title(rows, name="Scan0001.xlsx") is None
    assert title("| name |\n| --- |\n\nAs of today", name="a.csv") == "As of today"


def test_data_is_called_what_its_file_is_called() -> None:
    invoice = "<?xml version='1.0'?>\n<Invoice>\n  <Seller>Harbour Supplies</Seller>\n</Invoice>"
    assert title(invoice, name="factur-x.xml") == "factur-x"


def test_the_head_of_a_message_is_no_title() -> None:
    assert title("From: Ann\nDate: today\n\nDinner is ready") == "Dinner is ready"


def test_no_line_is_sensible() -> None:
    assert title("1\n2\n---\n") is None
    assert title("word " * 100) is None


@pytest.mark.parametrize(
    ("text", "expected"), [(ENGLISH, "en"), (GERMAN, "de"), ("Hello", None), ("1 2 3", None)]
)
def test_language(text: str, expected: str | None) -> None:
    assert classify.run(given(Source(Path(), "a", None, None), extracted(text))).language == expected


def test_without_the_model_the_language_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_model", lambda: None)
    assert language.language(ENGLISH) is None
