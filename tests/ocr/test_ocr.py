"""OCR reads images of text at any rotation, with the bounding box of each word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docyard import ocr
from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import OcrPage
from docyard.model.text.pages import OCR, SCAN, TEXT, Page, unpack_words
from docyard.ocr import models, paddle, tesseract
from docyard.ocr.lines import OcrLine, OcrWord
from docyard.ocr.page import make_page
from docyard.pipeline.children import ChildPool, tasks
from docyard.stages import ocr as stage
from tests.builders import child_functions
from tests.builders.images import LINES, MARGIN, SIZE, draw_columns, draw_lines, encode_image
from tests.builders.stage_inputs import make_fetched, make_input, make_source

PAGE = Page(1, "", 450.0, 250.0, source=SCAN)


def read_text(image: Image.Image) -> str:
    return "\n".join(" ".join(word.text for word in line.words) for line in paddle.read(image))


def remove_spaces(text: str) -> str:
    return "".join(text.split())


def run(folder: Path, content: bytes, media_type: str, page: Page = PAGE) -> OcrPage:
    return stage.run(make_input(make_source(folder, content), make_fetched(media_type), page))


def test_returns_lines_in_order_with_confident_words() -> None:
    lines = paddle.read(draw_lines())
    assert [remove_spaces("".join(word.text for word in line.words)) for line in lines] == list(
        map(remove_spaces, LINES)
    )
    assert all(0.6 < word.confidence <= 1.0 for line in lines for word in line.words)


@pytest.mark.parametrize("angle", [5, -7, 90, 180, 270, 185])
def test_reads_the_same_text_from_a_rotated_page(angle: int) -> None:
    turned = draw_lines().rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    assert remove_spaces(read_text(turned)) == remove_spaces("".join(LINES))


def test_reads_columns_in_sequence() -> None:
    left = ["The lighthouse keeper wrote", "his letters in the evening", "when all the boats were in"]
    right = ["Nobody ever answered them", "but he went on writing for", "many years without regret"]
    left, right = left + [line.replace("the", "one") for line in left], right + right[::-1]
    text = remove_spaces(read_text(draw_columns(left, right, "Letters from the coast")))
    assert text == remove_spaces("Letters from the coast" + "".join(left) + "".join(right))


def test_keeps_figures_of_a_table_in_their_rows() -> None:
    items = ["Mooring rope", "Brass lantern", "Copper nails", "Sail cloth", "Paint brush", "Anchor chain"]
    prices = ["12.50", "48.00", "3.75", "110.20", "4.10", "95.00"]
    rows = [remove_spaces(item + price) for item, price in zip(items, prices, strict=True)]
    assert list(map(remove_spaces, read_text(draw_columns(items, prices, "Receipt")).splitlines())) == [
        "Receipt",
        *rows,
    ]


def test_finds_no_text_on_an_empty_image() -> None:
    assert paddle.read(Image.new("RGB", (300, 200), "white")) == []
    assert paddle.read(Image.new("RGB", (1, 1), "white")) == []


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_word_boxes_cover_the_ink(tmp_path: Path, angle: int) -> None:
    image = draw_lines().rotate(angle, expand=True, fillcolor="white")
    blank = replace(PAGE, width=image.size[0] / 2, height=image.size[1] / 2)
    page = run(tmp_path, encode_image(image), "image/png", blank).page
    assert (page.source, len(page.confidences)) == (OCR, len(page.words) // 24)
    ink = np.asarray(image.convert("L")) < 128
    covered = np.zeros_like(ink)
    for word in unpack_words(page.words):
        box = [round(side * 2) for side in (word.left, word.top, word.right, word.bottom)]
        spot = (slice(max(0, box[1] - 4), box[3] + 4), slice(max(0, box[0] - 8), box[2] + 8))
        assert ink[spot].any()
        covered[spot] = True
    assert (ink & ~covered).sum() < 0.02 * ink.sum()
    assert [page.text[word.start : word.end] for word in unpack_words(page.words)] == page.text.split()


def test_page_text_follows_lines_and_paragraphs() -> None:
    def word(text: str) -> OcrWord:
        return OcrWord(text, 10, 20, 30, 40, 0.987)

    lines = [OcrLine((word("one"), word("two"))), OcrLine((word("th ree"), word(" "))), OcrLine((word("4"),), gap=True)]
    page = make_page(lines, PAGE, (900, 500))
    assert page.text == "one two\nthree\n\n4"
    assert [page.text[w.start : w.end] for w in unpack_words(page.words)] == ["one", "two", "three", "4"]
    assert next(unpack_words(page.words))[2:] == (5.0, 10.0, 15.0, 20.0)
    assert list(page.confidences) == [99] * 4


def test_keeps_the_text_of_the_file_unless_ocr_finds_more(tmp_path: Path) -> None:
    own = replace(PAGE, text=" ".join(LINES))
    kept = run(tmp_path, encode_image(draw_lines()), "image/png", own).page
    assert (kept.text, kept.source) == (own.text, TEXT)
    stamp = replace(PAGE, text="Filed 3 May")
    assert "harbour" in run(tmp_path, encode_image(draw_lines()), "image/png", stamp).page.text


def test_reads_a_truncated_image_with_a_note(tmp_path: Path) -> None:
    whole = encode_image(draw_lines(), "BMP")
    read = run(tmp_path, whole[: len(whole) * 3 // 4], "image/bmp")
    assert read.note is not None
    assert "cut off" in read.note
    assert "cash" in read.page.text


def test_error_without_an_engine_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_PACKAGE", "no_such_package")
    monkeypatch.setattr(tesseract, "_PROGRAM", "no-such-program")
    with pytest.raises(Reject, match=r"no_such_package or the program no-such-program") as caught:
        run(tmp_path, encode_image(draw_lines()), "image/png")
    assert caught.value.category == "not_installed"
    with pytest.raises(Reject, match="no-such-program"):
        ocr.select_engine("tesseract")


def test_imports_no_module_that_could_download(tmp_path: Path) -> None:
    inputs = make_input(make_source(tmp_path, encode_image(draw_lines())), make_fetched("image/png"), PAGE)
    with ChildPool(1, Limits()) as children:
        read = children.call(tasks.run_stage, "ocr", inputs, seconds=60)
        assert isinstance(read, OcrPage)
        assert "harbour" in read.page.text
        for module in ("rapidocr", "requests", "urllib.request", "http.client"):
            assert not children.call(child_functions.is_loaded, module, seconds=10), module


def test_chooses_the_engine_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ocr.select_engine("auto") is ocr.select_engine("paddle") is paddle.read
    monkeypatch.setattr(tesseract, "_PROGRAM", "cat")
    assert ocr.select_engine("tesseract") is tesseract.read
    monkeypatch.setattr(models, "_PACKAGE", "no_such_package")
    assert ocr.select_engine("auto") is tesseract.read
    assert Limits().ocr_engine == "auto"


TABLE = """
level page_num block_num par_num line_num word_num left top width height conf text
4 1 1 1 1 0 0 0 9 9 -1 -
5 1 1 1 1 1 60 62 50 30 96.5 The
5 1 1 1 1 2 120 62 90 30 88 "harbour
5 1 2 1 1 1 60 150 50 30 42 cash
""".strip()
TESSERACT = f"#!/bin/sh\ncat > /dev/null\ncat <<'END' | tr ' ' '\\t'\n{TABLE}\nEND\n"


def test_tesseract_returns_words_with_boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(TESSERACT)
    program.chmod(0o755)
    monkeypatch.setattr(tesseract, "_PROGRAM", str(program))
    first, second = tesseract.read(draw_lines())
    assert first.words[0] == OcrWord("The", 60, 62, 110, 92, 0.965)
    assert [word.text for word in first.words] == ["The", '"harbour']
    assert (first.gap, second.gap) == (False, True)
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'no language' >&2\nexit 1\n")
    with pytest.raises(Reject, match="no language"):
        tesseract.read(draw_lines())


def test_word_box_is_where_the_word_was_drawn() -> None:
    first = paddle.read(draw_lines())[0].words[0]
    assert first.left == pytest.approx(MARGIN, abs=14)
    assert MARGIN - 14 < first.top < first.bottom < MARGIN + 56
    assert SIZE[0] > first.right
