"""Words have exact positions in the text and on the page, even on rotated and cropped pages."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from docyard.errors import Reject
from docyard.model.text.pages import Page, unpack_words
from docyard.readers.pdf import reader as pdf
from tests.builders.pdf.pdfs import HEIGHT, WIDTH, Box, PdfPage, make_pdf, make_text_pdf

LINES = ["Hello world", "The second line is longer (and has brackets)", "Ärger über 100 %"]


def read(folder: Path, content: bytes, page_limit: int = 100) -> pdf.PdfText:
    return pdf.read(write_file(folder, content), page_limit)


def write_file(folder: Path, content: bytes) -> Path:
    path = folder / "blob.pdf"
    path.write_bytes(content)
    return path


def word_texts(page: Page) -> list[str]:
    return [page.text[word.start : word.end] for word in unpack_words(page.words)]


def test_reads_text_by_page(tmp_path: Path) -> None:
    found = read(tmp_path, make_text_pdf(LINES, ["Last page"], title="Of words"))
    assert [page.text.splitlines() for page in found.pages] == [LINES, ["Last page"]]
    assert (found.title, found.page_count, found.unreadable_count) == ("Of words", 2, 0)
    assert (found.pages[0].number, found.pages[0].width, found.pages[0].height) == (1, WIDTH, HEIGHT)


def test_word_boxes_match_positions(tmp_path: Path) -> None:
    first, second, *_ = unpack_words(read(tmp_path, make_text_pdf(LINES)).pages[0].words)
    assert first.left == pytest.approx(72, abs=1)
    assert second.left == pytest.approx(72 + 30.7, abs=1)  # the width of 'Hello ' in Helvetica
    assert 792 - 720 - 12 < first.top < 792 - 720 - 6
    assert 792 - 720 < first.bottom < 792 - 720 + 5


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (20, 30, 600, 760)])
@pytest.mark.parametrize("upright", [False, True])
def test_boxes_cover_the_ink(tmp_path: Path, rotate: int, crop: Box | None, upright: bool) -> None:
    content = make_pdf([PdfPage(LINES, rotate, crop, upright)])
    page = read(tmp_path, content).pages[0]
    assert sorted(word_texts(page)) == sorted(" ".join(LINES).split())
    ink = render_ink(write_file(tmp_path, content), page)
    assert ink.getbbox() is not None
    cover = Image.new("L", ink.size, 0)
    for word in unpack_words(page.words):
        box = (word.left - 1, word.top - 1, word.right + 1, word.bottom + 1)
        assert ink.crop(tuple(map(round, box))).getbbox() is not None  # type: ignore[arg-type]
        ImageDraw.Draw(cover).rectangle(box, 255)
    assert ImageChops.subtract(ink, cover).getbbox() is None


def render_ink(path: Path, page: Page) -> Image.Image:
    image = Image.open(io.BytesIO(pdf.render_png(path, 1, round(page.width)))).convert("L")
    assert image.size == (round(page.width), round(page.height))
    return image.point(lambda shade: 255 if shade < 128 else 0)


def test_omits_text_outside_crop_box(tmp_path: Path) -> None:
    page = read(tmp_path, make_pdf([PdfPage(["Shown here", *[""] * 20, "Hidden there"], crop=(0, 600, 612, 792))]))
    assert page.pages[0].text.split() == word_texts(page.pages[0]) == ["Shown", "here"]


def test_reads_other_pages_if_one_is_broken(tmp_path: Path) -> None:
    content = make_pdf([PdfPage(["One"]), PdfPage(["Two"], broken=True), PdfPage(["Three"])])
    found = read(tmp_path, content)
    assert ([page.text for page in found.pages], found.unreadable_count) == (["One", "", "Three"], 1)


def test_counts_pages_beyond_limit(tmp_path: Path) -> None:
    found = read(tmp_path, make_text_pdf(["1"], ["2"], ["3"]), page_limit=2)
    assert (len(found.pages), found.page_count) == (2, 3)


def test_rejects_encrypted_file(tmp_path: Path) -> None:
    with pytest.raises(Reject, match="password") as caught:
        read(tmp_path, make_pdf([PdfPage(LINES)], locked=True))
    assert caught.value.category == "encrypted"


@pytest.mark.parametrize("content", [make_text_pdf(LINES)[:60], b"%PDF-1.7\n" + bytes(500), make_pdf([])])
def test_rejects_damaged_file_as_corrupt(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(Reject, match="damaged") as caught:
        read(tmp_path, content)
    assert caught.value.category == "corrupt"


def test_renders_requested_width_up_to_limit(tmp_path: Path) -> None:
    path = write_file(tmp_path, make_text_pdf(LINES))
    assert Image.open(io.BytesIO(pdf.render_png(path, 1, 800))).size[0] == 800
    width, height = Image.open(io.BytesIO(pdf.render_png(path, 1, 100_000))).size
    assert 0.95 * pdf.MAX_PIXELS < width * height < 1.05 * pdf.MAX_PIXELS
    with pytest.raises(Reject, match="no page 2"):
        pdf.render_png(path, 2, 800)


words = st.text(alphabet=st.sampled_from("abcXYZ0189.,()\\-ÄßéÿŒ€"), min_size=1, max_size=12)
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines, min_size=1, max_size=20), st.sampled_from([0, 90, 180, 270]))
def test_words_reproduce_the_text(tmp_path: Path, written: list[str], rotate: int) -> None:
    page = read(tmp_path, make_pdf([PdfPage(written, rotate)])).pages[0]
    assert word_texts(page) == page.text.split()
    # pdfium reads rotated text in another order, but no character may be lost.
    assert Counter("".join(page.text.split())) == Counter("".join("".join(written).split()))
