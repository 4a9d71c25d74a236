"""A title a person would give, or none; a language, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.inference import language
from docyard.model.values import Classified, Source
from docyard.stages import classify
from tests.making.given import extracted, fetched, given

ENGLISH = "This agreement is made between the parties and shall be governed by the laws of the state."
GERMAN = "Dieser Vertrag wird zwischen den Parteien geschlossen und unterliegt dem deutschen Recht."

TILL = "FACTURA SIMPLIFICADA\nFECHA 30/01/2025 HORA 19:55\nSURTIDOR 4\nTARJETA\nGRACIAS POR SU VISITA"


def title(text: str, metadata: str | None = None, name: str = "scan0001.pdf") -> str | None:
    return run(text, metadata, name).title


def run(
    text: str, metadata: str | None = None, name: str = "a", media_type: str = "text/plain"
) -> Classified:
    file = Source(Path(), name, None, None)
    return classify.run(given(file, fetched(media_type), extracted(text, title=metadata)))


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
    ("text", "expected"),
    [(ENGLISH, "en"), (GERMAN, "de"), (GERMAN.upper(), "de"), (TILL, "es"), ("Hello", None), ("1 2 3", None)],
)
def test_language(text: str, expected: str | None) -> None:
    assert run(text).language == expected


def test_without_the_model_the_language_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_model", lambda: None)
    assert language.language(ENGLISH) is None


def test_everything_that_is_clear_is_told() -> None:
    letter = (
        "Harbour Office\n3 May 2026\n\nDear Ms Fisher,\n\nthe berth on the northern harbour wall is free"
        " from next week. The harbour office keeps the berth for you until the end of this month.\n\n"
        "Yours sincerely,\nA. Moor"
    )
    told = run(letter)
    assert (told.type, told.date, told.language) == ("letter", "2026-05-03", "en")
    assert told.type_confidence > 0.8
    assert told.evidence[0].phrase
    assert told.summary is not None
    assert "berth" in told.summary
    assert "harbour" in told.tags


def test_what_is_not_clear_is_not_told() -> None:
    told = run("12 34")
    assert (told.type, told.summary, told.date, told.tags) == (None, None, None, ())


def test_a_message_bears_the_date_of_its_head() -> None:
    told = run(
        "From: A\nTo: B\nDate: Wed, 17 May 2000 19:08:29 -0400\nSubject: x", media_type="message/rfc822"
    )
    assert (told.type, told.date) == ("email", "2000-05-17")
