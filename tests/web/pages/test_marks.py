"""Marks of facts: links that never stand inside each other, rectangles line by line, and honest words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page, Word, pack_words
from docyard.web.view.fact_words import named, normal, sure
from docyard.web.view.highlights import Mark, drawn, marked_text

TEXT = 'Ann "Lee" & <Co> of Ann'


def mark(start: int, end: int, key: str = "k") -> Mark:
    return Mark(start, end, f"{key} & co", f"?m={key}", "thing person", key)


def test_a_mark_is_a_link_with_its_words_and_all_is_escaped() -> None:
    shown = marked_text(TEXT, [], None, [mark(10, 15)])
    assert shown == (
        'Ann &#34;Lee&#34; <a class="said thing person" href="?m=k" title="k &amp; co" data-thing="k">'
        "&amp; &lt;Co</a>&gt; of Ann"
    )


def test_a_word_of_the_search_is_marked_inside_a_link() -> None:
    shown = marked_text("Ann Lee", [(4, 7)], (0, 7), [mark(0, 7)])
    assert shown.count("<a ") == 1
    assert shown.endswith('<span class="passage"><mark>Lee</mark></span></a>')


spans = st.tuples(st.integers(0, 30), st.integers(0, 30))


@given(st.lists(spans, max_size=8), st.lists(spans.map(sorted).map(tuple), max_size=3))
def test_whatever_overlaps_links_stay_apart_and_the_text_whole(
    marks: list[tuple[int, int]], hits: list[tuple[int, int]]
) -> None:
    within = [(start, min(end, len(TEXT))) for start, end in hits if start < min(end, len(TEXT))]
    shown = marked_text(TEXT, within, None, [mark(*span, str(at)) for at, span in enumerate(marks)])
    assert shown.striptags() == " ".join(TEXT.split())
    assert re.sub(r"<a [^>]*>[^<]*(?:</?(?:mark|span)[^<]*)*</a>", "", str(shown)).count("<a ") == 0


def test_each_line_of_a_mark_has_its_rectangle_and_a_shorter_mark_lies_on_top() -> None:
    words = [Word(0, 3, 10, 10, 30, 20), Word(4, 9, 34, 10, 60, 20), Word(10, 15, 10, 30, 40, 40)]
    page = Page(1, TEXT, 100, 100, pack_words(words))
    found = drawn(page, [mark(0, 3, "short"), mark(4, 15, "long"), mark(20, 23, "nowhere")])
    assert [(each.key, lines) for each, lines in found] == [
        ("long", [(34, 10, 60, 20), (10, 30, 40, 40)]),
        ("short", [(10, 10, 30, 20)]),
    ]


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (0.999, "very sure, 99"),
        (0.95, "very sure, 95"),
        (0.57, "fairly sure, 57"),
        (0.2, "not sure, 20"),
        (None, "not sure, 0"),
    ],
)
def test_how_sure_is_said_in_words_and_never_rounded_up(confidence: float | None, words: str) -> None:
    assert sure(confidence) == f"{words}\xa0%"


@pytest.mark.parametrize(
    ("value", "meant", "shown"),
    [
        ("3 March 2025", "2025-03-03", "2025-03-03"),
        ("DGT\nCorp.", "DGT Corp.", ""),
        ("1,250.00", "1250.00", ""),
    ],
)
def test_a_normal_form_is_shown_where_it_says_more(value: str, meant: str, shown: str) -> None:
    assert normal(FieldValue("x", value, meant, 1.0, "rule")) == shown


def test_names_are_words() -> None:
    assert [named(each) for each in ("due_date", "iban", "email", None)] == ["Due date", "IBAN", "E-mail", ""]
