"""Marks of facts: links in the text, rectangles on the image, and labels."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page, Word, pack_words
from docyard.web.view.fact_labels import confidence_label, label, shown_normal_form
from docyard.web.view.highlights import Mark, highlight_text, mark_rectangles

TEXT = 'Ann "Lee" & <Co> of Ann'


def mark(start: int, end: int, key: str = "k") -> Mark:
    return Mark(start, end, f"{key} & co", f"?m={key}", "thing person", key)


def test_mark_is_an_escaped_link_with_tooltip() -> None:
    shown = highlight_text(TEXT, [], None, [mark(10, 15)])
    assert shown == (
        'Ann &#34;Lee&#34; <a class="said thing person" href="?m=k" title="k &amp; co" data-thing="k">'
        "&amp; &lt;Co</a>&gt; of Ann"
    )


def test_marks_search_words_inside_links() -> None:
    shown = highlight_text("Ann Lee", [(4, 7)], (0, 7), [mark(0, 7)])
    assert shown.count("<a ") == 1
    assert shown.endswith('<span class="passage"><mark>Lee</mark></span></a>')


spans = st.tuples(st.integers(0, 30), st.integers(0, 30))


@given(st.lists(spans, max_size=8), st.lists(spans.map(sorted).map(tuple), max_size=3))
def test_links_never_nest_and_text_is_preserved(marks: list[tuple[int, int]], hits: list[tuple[int, int]]) -> None:
    within = [(start, min(end, len(TEXT))) for start, end in hits if start < min(end, len(TEXT))]
    shown = highlight_text(TEXT, within, None, [mark(*span, str(at)) for at, span in enumerate(marks)])
    assert shown.striptags() == " ".join(TEXT.split())
    assert re.sub(r"<a [^>]*>[^<]*(?:</?(?:mark|span)[^<]*)*</a>", "", str(shown)).count("<a ") == 0


def test_mark_has_one_rectangle_per_line_and_shorter_marks_are_on_top() -> None:
    words = [Word(0, 3, 10, 10, 30, 20), Word(4, 9, 34, 10, 60, 20), Word(10, 15, 10, 30, 40, 40)]
    page = Page(1, TEXT, 100, 100, pack_words(words))
    found = mark_rectangles(page, [mark(0, 3, "short"), mark(4, 15, "long"), mark(20, 23, "nowhere")])
    assert [(each.key, lines) for each, lines in found] == [
        ("long", [(34, 10, 60, 20), (10, 30, 40, 40)]),
        ("short", [(10, 10, 30, 20)]),
    ]


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (0.999, "very high confidence, 99"),
        (0.95, "very high confidence, 95"),
        (0.57, "medium confidence, 57"),
        (0.2, "low confidence, 20"),
        (None, "low confidence, 0"),
    ],
)
def test_confidence_label_rounds_down(confidence: float | None, words: str) -> None:
    assert confidence_label(confidence) == f"{words}\xa0%"


@pytest.mark.parametrize(
    ("value", "normal_form", "shown"),
    [("3 March 2025", "2025-03-03", "2025-03-03"), ("DGT\nCorp.", "DGT Corp.", ""), ("1,250.00", "1250.00", "")],
)
def test_shows_normal_form_if_it_differs(value: str, normal_form: str, shown: str) -> None:
    assert shown_normal_form(FieldValue("x", value, normal_form, 1.0, "rule")) == shown


def test_labels_names() -> None:
    assert [label(each) for each in ("due_date", "iban", "email", None)] == ["Due date", "IBAN", "Email", ""]
