"""Titles, languages and other results of the classify stage; unclear results are None."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.inference import language
from docyard.model.stage_values import Classification, Source
from docyard.stages import classify
from tests.builders.stage_inputs import make_extracted, make_fetched, make_input

ENGLISH = "This agreement is made between the parties and shall be governed by the laws of the state."
GERMAN = "Dieser Vertrag wird zwischen den Parteien geschlossen und unterliegt dem deutschen Recht."

TILL = "FACTURA SIMPLIFICADA\nFECHA 30/01/2025 HORA 19:55\nSURTIDOR 4\nTARJETA\nGRACIAS POR SU VISITA"


def title(text: str, metadata: str | None = None, name: str = "scan0001.pdf") -> str | None:
    return run(text, metadata, name).title


def run(text: str, metadata: str | None = None, name: str = "a", media_type: str = "text/plain") -> Classification:
    file = Source(Path(), name, None, None)
    return classify.run(make_input(file, make_fetched(media_type), make_extracted(text, title=metadata)))


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
def test_ignores_titles_generated_by_programs(metadata: str) -> None:
    assert title("Lease of premises\n\nBetween A and B", metadata) == "Lease of premises"


@pytest.mark.parametrize("metadata", ["Annual Report 2024", "Presentation skills for engineers"])
def test_keeps_a_title_set_by_a_person(metadata: str) -> None:
    assert title("Something else", metadata) == metadata


def test_prefers_a_heading_to_the_first_line() -> None:
    assert title("Draft, do not share\n\n# The plan #\n\ntext") == "The plan"


def test_takes_the_first_suitable_line() -> None:
    assert title("12/05/2024\n---\n  a\n\n  Minutes   of the meeting \nmore") == "Minutes of the meeting"


def test_a_table_gets_the_name_of_its_file() -> None:
    rows = "## Sheet1\n\n| name | price |\n| --- | --- |\n| nut | 3 |"
    assert title(rows, name="Spare parts 2026.xlsx") == "Spare parts 2026"
    assert title(rows, name="Scan0001.xlsx") is None
    assert title("| name |\n| --- |\n\nAs of today", name="a.csv") == "As of today"


def test_xml_data_gets_the_name_of_its_file() -> None:
    invoice = "<?xml version='1.0'?>\n<Invoice>\n  <Seller>Harbour Supplies</Seller>\n</Invoice>"
    assert title(invoice, name="factur-x.xml") == "factur-x"


def test_mail_headers_are_not_a_title() -> None:
    assert title("From: Ann\nDate: today\n\nDinner is ready") == "Dinner is ready"


def test_no_title_without_a_suitable_line() -> None:
    assert title("1\n2\n---\n") is None
    assert title("word " * 100) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [(ENGLISH, "en"), (GERMAN, "de"), (GERMAN.upper(), "de"), (TILL, "es"), ("Hello", None), ("1 2 3", None)],
)
def test_detects_the_language(text: str, expected: str | None) -> None:
    assert run(text).language == expected


def test_without_the_model_the_language_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_model", lambda: None)
    assert language.detect_language(ENGLISH) is None


def test_fills_every_clear_field() -> None:
    letter = (
        "Harbour Office\n3 May 2026\n\nDear Ms Fisher,\n\nthe berth on the northern harbour wall is free"
        " from next week. The harbour office keeps the berth for you until the end of this month.\n\n"
        "Yours sincerely,\nA. Moor"
    )
    result = run(letter)
    assert (result.type, result.date, result.language) == ("letter", "2026-05-03", "en")
    assert result.type_confidence > 0.8
    assert result.evidence[0].phrase
    assert result.summary is not None
    assert "berth" in result.summary
    assert "harbour" in result.tags


def test_leaves_unclear_fields_empty() -> None:
    result = run("12 34")
    assert (result.type, result.summary, result.date, result.tags) == (None, None, None, ())


def test_a_message_has_the_date_of_its_header() -> None:
    result = run("From: A\nTo: B\nDate: Wed, 17 May 2000 19:08:29 -0400\nSubject: x", media_type="message/rfc822")
    assert (result.type, result.date) == ("email", "2000-05-17")
