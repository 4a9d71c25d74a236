"""OCR reads pictures of text whichever way they are turned, and knows where each word stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docyard import ocr
from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.text.pages import OCR, SCAN, TEXT, Page, unpack_words
from docyard.model.values import PageRead
from docyard.ocr import models, paddle, tesseract
from docyard.ocr.lines import SeenLine, SeenWord
from docyard.ocr.page import page_of
from docyard.pipeline.children import ChildPool, tasks
from docyard.stages import ocr as stage
from tests.making import troubles
from tests.making.given import fetched, given, source
from tests.making.pictures import LINES, MARGIN, SIZE, columns, drawn, stored

PAGE = Page(1, "", 450.0, 250.0, source=SCAN)


def seen(image: Image.Image) -> str:
    return "\n".join(" ".join(word.text for word in line.words) for line in paddle.read(image))


def squeezed(text: str) -> str:
    return "".join(text.split())


def run(folder: Path, content: bytes, media_type: str, page: Page = PAGE) -> PageRead:
    return stage.run(given(source(folder, content), fetched(media_type), page))


def test_lines_come_in_order_with_sure_words() -> None:
    lines = paddle.read(drawn())
    assert [squeezed("".join(word.text for word in line.words)) for line in lines] == list(
        map(squeezed, LINES)
    )
    assert all(0.6 < word.confidence <= 1.0 for line in lines for word in line.words)


@pytest.mark.parametrize("angle", [5, -7, 90, 180, 270, 185])
def test_a_turned_page_reads_the_same(angle: int) -> None:
    turned = drawn().rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    assert squeezed(seen(turned)) == squeezed("".join(LINES))


def test_columns_are_read_one_after_the_other() -> None:
    left = ["The lighthouse keeper wrote", "his letters in the evening", "when all the boats were in"]
    right = ["Nobody ever answered them", "but he went on writing for", "many years without regret"]
    left, right = left + [line.replace("the", "one") for line in left], right + right[::-1]
    text = squeezed(seen(columns(left, right, "Letters from the coast")))
    assert text == squeezed("Letters from the coast" + "".join(left) + "".join(right))


def test_figures_stay_beside_what_they_count() -> None:
    items = ["Mooring rope", "Brass lantern", "Copper nails", "Sail cloth", "Paint brush", "Anchor chain"]
    prices = ["12.50", "48.00", "3.75", "110.20", "4.10", "95.00"]
    rows = [squeezed(item + price) for item, price in zip(items, prices, strict=True)]
    assert list(map(squeezed, seen(columns(items, prices, "Receipt")).splitlines())) == ["Receipt", *rows]


def test_a_picture_without_text_has_none() -> None:
    assert paddle.read(Image.new("RGB", (300, 200), "white")) == []
    assert paddle.read(Image.new("RGB", (1, 1), "white")) == []


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_words_stand_on_their_ink(tmp_path: Path, angle: int) -> None:
    image = drawn().rotate(angle, expand=True, fillcolor="white")
    blank = replace(PAGE, width=image.size[0] / 2, height=image.size[1] / 2)
    page = run(tmp_path, stored(image), "image/png", blank).page
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


def test_offsets_and_paragraphs_follow_the_lines() -> None:
    def word(text: str) -> SeenWord:
        return SeenWord(text, 10, 20, 30, 40, 0.987)

    lines = [
        SeenLine((word("one"), word("two"))),
        SeenLine((word("th ree"), word(" "))),
        SeenLine((word("4"),), gap=True),
    ]
    page = page_of(lines, PAGE, (900, 500))
    assert page.text == "one two\nthree\n\n4"
    assert [page.text[w.start : w.end] for w in unpack_words(page.words)] == ["one", "two", "three", "4"]
    assert next(unpack_words(page.words))[2:] == (5.0, 10.0, 15.0, 20.0)
    assert list(page.confidences) == [99] * 4


def test_the_text_of_the_file_stays_where_ocr_finds_nothing_better(tmp_path: Path) -> None:
    own = replace(PAGE, text=" ".join(LINES))
    kept = run(tmp_path, stored(drawn()), "image/png", own).page
    assert (kept.text, kept.source) == (own.text, TEXT)
    stamp = replace(PAGE, text="Filed 3 May")
    assert "harbour" in run(tmp_path, stored(drawn()), "image/png", stamp).page.text


def test_a_cut_off_picture_is_read_with_a_note(tmp_path: Path) -> None:
    whole = stored(drawn(), "BMP")
    read = run(tmp_path, whole[: len(whole) * 3 // 4], "image/bmp")
    assert read.note is not None
    assert "cut off" in read.note
    assert "cash" in read.page.text


def test_without_an_engine_the_reason_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_PACKAGE", "no_such_package")
    monkeypatch.setattr(tesseract, "_PROGRAM", "no-such-program")
    with pytest.raises(Reject, match=r"no_such_package or the program no-such-program") as caught:
        run(tmp_path, stored(drawn()), "image/png")
    assert caught.value.category == "not_installed"
    with pytest.raises(Reject, match="no-such-program"):
        ocr.chosen("tesseract")


def test_nothing_that_could_fetch_anything_is_loaded(tmp_path: Path) -> None:
    ask = given(source(tmp_path, stored(drawn())), fetched("image/png"), PAGE)
    with ChildPool(1, Limits()) as children:
        read = children.call(tasks.run_stage, "ocr", ask, seconds=60)
        assert isinstance(read, PageRead)
        assert "harbour" in read.page.text
        for module in ("rapidocr", "requests", "urllib.request", "http.client"):
            assert not children.call(troubles.loaded, module, seconds=10), module


def test_an_engine_is_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ocr.chosen("auto") is ocr.chosen("paddle") is paddle.read
    monkeypatch.setattr(tesseract, "_PROGRAM", "cat")
    assert ocr.chosen("tesseract") is tesseract.read
    monkeypatch.setattr(models, "_PACKAGE", "no_such_package")
    assert ocr.chosen("auto") is tesseract.read
    assert Limits().ocr_engine == "auto"


TABLE = """
level page_num block_num par_num line_num word_num left top width height conf text
4 1 1 1 1 0 0 0 9 9 -1 -
5 1 1 1 1 1 60 62 50 30 96.5 The
5 1 1 1 1 2 120 62 90 30 88 "harbour
5 1 2 1 1 1 60 150 50 30 42 cash
""".strip()
TESSERACT = f"#!/bin/sh\ncat > /dev/null\ncat <<'END' | tr ' ' '\\t'\n{TABLE}\nEND\n"


def test_tesseract_is_asked_for_words_with_boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(TESSERACT)
    program.chmod(0o755)
    monkeypatch.setattr(tesseract, "_PROGRAM", str(program))
    first, second = tesseract.read(drawn())
    assert first.words[0] == SeenWord("The", 60, 62, 110, 92, 0.965)
    assert [word.text for word in first.words] == ["The", '"harbour']
    assert (first.gap, second.gap) == (False, True)
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'no language' >&2\nexit 1\n")
    with pytest.raises(Reject, match="no language"):
        tesseract.read(drawn())


def test_the_first_line_stands_where_it_was_drawn() -> None:
    first = paddle.read(drawn())[0].words[0]
    assert first.left == pytest.approx(MARGIN, abs=14)
    assert MARGIN - 14 < first.top < first.bottom < MARGIN + 56
    assert SIZE[0] > first.right
