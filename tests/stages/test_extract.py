"""The extract stage reads known types, and rejects others with a clear reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.stages import extract
from tests.builders.pdf.pdfs import PdfPage, make_pdf, make_text_pdf
from tests.builders.stage_inputs import make_fetched, make_input, make_source


def run(folder: Path, content: bytes, media_type: str, limits: Limits | None = None) -> ExtractedText:
    return extract.run(make_input(make_source(folder, content), make_fetched(media_type), limits=limits))


def reason(folder: Path, content: bytes, media_type: str) -> tuple[str, str]:
    with pytest.raises(Reject) as caught:
        run(folder, content, media_type)
    return caught.value.category, caught.value.message


@pytest.mark.parametrize("media_type", ["text/plain", "text/csv", "application/json"])
def test_reads_text(tmp_path: Path, media_type: str) -> None:
    assert run(tmp_path, b"hello", media_type).pages[0].text == "hello"


def test_reads_a_pdf_with_its_title(tmp_path: Path) -> None:
    found = run(tmp_path, make_text_pdf(["hello"], title="Greeting"), "application/pdf")
    assert (found.pages[0].text, found.metadata_title, found.notes) == ("hello", "Greeting", ())


def test_reads_a_pdf_without_text(tmp_path: Path) -> None:
    assert [page.text for page in run(tmp_path, make_text_pdf([], []), "application/pdf").pages] == ["", ""]


def test_notes_pages_that_were_not_read(tmp_path: Path) -> None:
    two = replace(Limits(), pages=2, text_page_chars=5)
    assert run(tmp_path, b"a\fb\fc", "text/plain", two).notes == ("Only the first 2 pages were read.",)
    three_pages = make_text_pdf(["1"], ["2"], ["3"])
    assert run(tmp_path, three_pages, "application/pdf", two).notes == ("Only the first 2 of 3 pages were read.",)
    broken = make_pdf([PdfPage(["1"]), PdfPage(["2"], broken=True)])
    assert run(tmp_path, broken, "application/pdf").notes == ("1 of 2 pages could not be read.",)


def test_refuses_other_types_with_a_reason(tmp_path: Path) -> None:
    message = "Files of this type are stored, but their text cannot be read."
    assert reason(tmp_path, b"x", "image/x-icon") == ("unsupported_file_type", message)


def test_a_damaged_file_is_corrupt(tmp_path: Path) -> None:
    assert reason(tmp_path, b"%PDF-1.4 nothing more", "application/pdf")[0] == "corrupt"
    unreadable = make_pdf([PdfPage(["1"], broken=True)])
    assert reason(tmp_path, unreadable, "application/pdf")[0] == "corrupt"
