"""Accents that a page has are kept; specks of dirt over its letters are not taken for them."""

from __future__ import annotations

import pytest

from docyard.ocr import paddle
from docyard.ocr.accents import without_doubtful
from docyard.ocr.recognition import Piece
from tests.making.pictures import drawn


def word(text: str, *doubtful: float) -> Piece:
    letters = (*doubtful, *[0.99] * (len(text) - len(doubtful)))
    return Piece(text, 0.0, 1.0, sum(letters) / len(letters), letters)


def texts(*lines: list[Piece]) -> list[list[str]]:
    return [[piece.text for piece in line] for line in without_doubtful(lines)]


def test_doubtful_accents_go_where_none_is_sure() -> None:
    assert texts([word("ÃLL", 0.7), word("boats")], [word("ïn", 0.8)]) == [["ALL", "boats"], ["in"]]


def test_doubtful_accents_stay_beside_sure_ones() -> None:
    assert texts([word("Äpfel", 0.6)], [word("müssen", 0.99)]) == [["Äpfel"], ["müssen"]]


def test_signs_that_are_no_accented_letters_stay() -> None:
    signs = ["½", "ø", "漢", "€5"]
    assert texts([word(sign, 0.6) for sign in signs]) == [signs]


def test_a_read_page_is_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paddle, "read_lines", lambda lines: [[word("ÃLL", 0.7)] for _ in lines])
    assert {seen.text for line in paddle.read(drawn()) for seen in line.words} == {"ALL"}
