"""Annotations of PDF pages are read: form values, typed text, comments, attached files."""

from __future__ import annotations

from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.markdown import page_markdown
from docyard.model.text.pages import Page, unpack_words
from docyard.readers import formats
from docyard.readers.pdf import reader as pdf
from tests.builders.file_reads import read_file
from tests.builders.pdf.annotated_pdfs import (
    make_annotated_pdf,
    make_embedded_file,
    make_field,
    make_file_annotation,
    make_remark,
)

LINES = [(72, 720, "Name:"), (72, 690, "Town:"), (72, 640, "Signed on paper only.")]


def read_page(folder: Path, content: bytes) -> Page:
    path = folder / "blob.pdf"
    path.write_bytes(content)
    return pdf.read(path, 10).pages[0]


def test_form_values_follow_their_labels(tmp_path: Path) -> None:
    page = read_page(
        tmp_path,
        make_annotated_pdf(LINES, [make_field(120, 686, "Aachen"), make_field(120, 716, "Ann Lee")], fields=True),
    )
    assert page.text.split() == ["Name:", "Ann", "Lee", "Town:", "Aachen", "Signed", "on", "paper", "only."]
    words = {page.text[word.start : word.end]: word for word in unpack_words(page.words)}
    assert words["Name:"].right < words["Ann"].left < words["Lee"].left
    assert abs(words["Aachen"].top - words["Town:"].top) < 8


def test_appends_full_value_that_exceeds_its_field(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(60))
    page = read_page(tmp_path, make_annotated_pdf(LINES, [make_field(120, 716, long)], fields=True))
    assert page.text.endswith(f"\n\nf836: {long}")
    short = read_page(tmp_path, make_annotated_pdf(LINES, [make_field(120, 716, "word1 word2")], fields=True))
    assert short.text.count("word1 word2") == 1
    cut = read_page(tmp_path, make_annotated_pdf(LINES, [make_remark("Text", "word " * 100_000)]))
    assert 19_000 < len(cut.text) < 21_000


def test_comments_follow_text_with_author_and_date(tmp_path: Path) -> None:
    made = make_annotated_pdf(
        LINES,
        [
            make_remark("Text", "Is this the right form?", "Ann"),
            make_remark("Highlight", "Check the name."),
            make_remark("FreeText", "Typed onto the page"),
            make_remark("Text", "Signed on paper only."),
            make_remark("Popup", "never shown"),
        ],
    )
    page = read_page(tmp_path, made)
    assert page_markdown(page).split("\n\n")[-3:] == [
        "Comment by Ann (2024-03-05): Is this the right form?",
        "Comment: Check the name.",
        "Comment: Typed onto the page",
    ]
    assert page.text.count("Signed on paper only.") == 1
    assert "never shown" not in page.text
    block_texts = [page.text[block.start : block.end] for block in unpack_blocks(page.blocks)]
    assert block_texts[-1] == "Comment: Typed onto the page"


def test_adds_remarks_to_page_read_by_ocr(tmp_path: Path) -> None:
    path = tmp_path / "blob.pdf"
    path.write_bytes(make_annotated_pdf([], [make_remark("Text", "Too dark to read.", "Ann")]))
    remarked_page = pdf.add_remarks(path, Page(1, "What the picture says"))
    assert remarked_page.text == "What the picture says\n\nComment by Ann (2024-03-05): Too dark to read."
    assert pdf.add_remarks(path, remarked_page) == remarked_page


def test_extracts_file_attached_to_page(tmp_path: Path) -> None:
    made = make_annotated_pdf(
        LINES,
        [make_remark("Link", ""), make_file_annotation("../plan.txt", 8)],
        others=[make_embedded_file(b"Plan of the house")],
    )
    (file,) = read_file(tmp_path, made).attachments
    assert (file.name, file.size) == ("plan.txt", 17)
    path = tmp_path / "again.pdf"
    path.write_bytes(made)
    assert formats.read_member(path, formats.PDF, file.member, Limits()) == b"Plan of the house"


def test_reads_values_of_xfa_form(tmp_path: Path) -> None:
    data = b"<x:datasets xmlns:x='x'><x:data><form><name>Ann Lee</name><town/></form></x:data></x:datasets>"
    form = b"/AcroForm << /Fields [] /XFA [(datasets) 6 0 R] >>"
    page = read_page(
        tmp_path, make_annotated_pdf([(72, 720, "Please wait...")], [], others=[make_embedded_file(data)], catalog=form)
    )
    assert page.text == "Please wait...\n\nname: Ann Lee"
    damaged = make_annotated_pdf(
        [(72, 720, "Please wait...")], [], others=[make_embedded_file(data[:40])], catalog=form
    )
    assert read_page(tmp_path, damaged).text == "Please wait..."
