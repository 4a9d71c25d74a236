"""Real accents on a page are kept; specks above letters are not read as accents."""

from __future__ import annotations

import pytest

from docyard.ocr import paddle
from docyard.ocr.accents import remove_doubtful_accents
from docyard.ocr.recognition import RecognisedWord
from tests.builders.images import draw_lines


def word(text: str, *doubtful: float) -> RecognisedWord:
    confidences = (*doubtful, *[0.99] * (len(text) - len(doubtful)))
    return RecognisedWord(text, 0.0, 1.0, sum(confidences) / len(confidences), confidences)


def texts(*lines: list[RecognisedWord]) -> list[list[str]]:
    return [[each.text for each in line] for line in remove_doubtful_accents(lines)]


def test_removes_doubtful_accents_if_no_accent_on_the_page_is_confident() -> None:
    assert texts([word("ÃLL", 0.7), word("boats")], [word("ïn", 0.8)]) == [["ALL", "boats"], ["in"]]


def test_keeps_doubtful_accents_if_another_accent_is_confident() -> None:
    assert texts([word("Äpfel", 0.6)], [word("müssen", 0.99)]) == [["Äpfel"], ["müssen"]]


def test_keeps_characters_that_are_not_accented_letters() -> None:
    signs = ["½", "ø", "漢", "€5"]
    assert texts([word(sign, 0.6) for sign in signs]) == [signs]


def test_engine_removes_doubtful_accents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paddle, "read_lines", lambda lines: [[word("ÃLL", 0.7)] for _ in lines])
    assert {seen.text for line in paddle.read(draw_lines()) for seen in line.words} == {"ALL"}
