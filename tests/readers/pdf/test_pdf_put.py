"""What people put onto a PDF page is read: values of forms, text typed over it, remarks, pinned files."""

from __future__ import annotations

from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.markdown import page_markdown
from docyard.model.text.pages import Page, unpack_words
from docyard.readers import formats
from docyard.readers.pdf import reader as pdf
from tests.making.pdf.annotated import annotated_pdf, embedded, field, pinned, remark
from tests.making.reading import read

LINES = [(72, 720, "Name:"), (72, 690, "Town:"), (72, 640, "Signed on paper only.")]


def only_page(folder: Path, content: bytes) -> Page:
    path = folder / "blob.pdf"
    path.write_bytes(content)
    return pdf.read(path, 10).pages[0]


def test_the_values_of_a_form_stand_behind_their_labels(tmp_path: Path) -> None:
    page = only_page(
        tmp_path, annotated_pdf(LINES, [field(120, 686, "Aachen"), field(120, 716, "Ann Lee")], fields=True)
    )
    assert page.text.split() == ["Name:", "Ann", "Lee", "Town:", "Aachen", "Signed", "on", "paper", "only."]
    placed = {page.text[word.start : word.end]: word for word in unpack_words(page.words)}
    assert placed["Name:"].right < placed["Ann"].left < placed["Lee"].left
    assert abs(placed["Aachen"].top - placed["Town:"].top) < 8


def test_a_value_longer_than_its_field_is_told_whole(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(60))
    page = only_page(tmp_path, annotated_pdf(LINES, [field(120, 716, long)], fields=True))
    assert page.text.endswith(f"\n\nf836: {long}")
    short = only_page(tmp_path, annotated_pdf(LINES, [field(120, 716, "word1 word2")], fields=True))
    assert short.text.count("word1 word2") == 1
    cut = only_page(tmp_path, annotated_pdf(LINES, [remark("Text", "word " * 100_000)]))
    assert 19_000 < len(cut.text) < 21_000


def test_what_people_remark_follows_the_text_and_says_who_it_was(tmp_path: Path) -> None:
    made = annotated_pdf(
        LINES,
        [
            remark("Text", "Is this the right form?", "Ann"),
            remark("Highlight", "Check the name."),
            remark("FreeText", "Typed onto the page"),
            remark("Text", "Signed on paper only."),
            remark("Popup", "never shown"),
        ],
    )
    page = only_page(tmp_path, made)
    assert page_markdown(page).split("\n\n")[-3:] == [
        "Comment by Ann (2024-03-05): Is this the right form?",
        "Comment: Check the name.",
        "Comment: Typed onto the page",
    ]
    assert page.text.count("Signed on paper only.") == 1
    assert "never shown" not in page.text
    spoken = [page.text[block.start : block.end] for block in unpack_blocks(page.blocks)]
    assert spoken[-1] == "Comment: Typed onto the page"


def test_remarks_stay_with_a_page_that_was_read_as_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "blob.pdf"
    path.write_bytes(annotated_pdf([], [remark("Text", "Too dark to read.", "Ann")]))
    seen = pdf.remarked(path, Page(1, "What the picture says"))
    assert seen.text == "What the picture says\n\nComment by Ann (2024-03-05): Too dark to read."
    assert pdf.remarked(path, seen) == seen


def test_a_file_pinned_to_a_page_comes_out_as_it_was(tmp_path: Path) -> None:
    made = annotated_pdf(
        LINES, [remark("Link", ""), pinned("../plan.txt", 8)], others=[embedded(b"Plan of the house")]
    )
    (file,) = read(tmp_path, made).attachments
    assert (file.name, file.size) == ("plan.txt", 17)
    path = tmp_path / "again.pdf"
    path.write_bytes(made)
    assert formats.read_member(path, formats.PDF, file.member, Limits()) == b"Plan of the house"


def test_a_form_that_only_other_programs_draw_gives_its_values(tmp_path: Path) -> None:
    data = b"<x:datasets xmlns:x='x'><x:data><form><name>Ann Lee</name><town/></form></x:data></x:datasets>"
    form = b"/AcroForm << /Fields [] /XFA [(datasets) 6 0 R] >>"
    page = only_page(
        tmp_path, annotated_pdf([(72, 720, "Please wait...")], [], others=[embedded(data)], catalog=form)
    )
    assert page.text == "Please wait...\n\nname: Ann Lee"
    damaged = annotated_pdf([(72, 720, "Please wait...")], [], others=[embedded(data[:40])], catalog=form)
    assert only_page(tmp_path, damaged).text == "Please wait..."
