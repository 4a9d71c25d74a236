"""What a model's answer becomes: cleaned and cut, and what the rules found where it says nothing usable."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from docyard.model.document_types import DOCUMENT_TYPES
from docyard.model.facts import Span
from docyard.model.stages import StageResult
from docyard.model.values import Classified, Evidence
from docyard.pipeline.storage.classification import classification_facts, kept_classification
from docyard.stages.classify_ai import Answer, merge_answer

OFFLINE = Classified(
    "A title",
    "de",
    "letter",
    0.6,
    (Evidence("Dear", Span(1, 0, 4), 1.0),),
    "A summary.",
    "2026-01-02",
    ("post",),
)
SAID = Answer("invoice", "Invoice 7", "It asks for money.", 0.8, "2026-03-04", "en", ["ropes"])


def test_what_the_model_says_counts() -> None:
    assert merge_answer(OFFLINE, SAID) == Classified(
        "Invoice 7", "de", "invoice", 0.8, (), "It asks for money.", "2026-03-04", ("ropes",), "llm"
    )


def test_what_the_model_leaves_out_stays_as_the_rules_found_it() -> None:
    silent = merge_answer(OFFLINE, Answer("other", "", " ", 0.9))
    assert silent == Classified(
        OFFLINE.title,
        OFFLINE.language,
        OFFLINE.type,
        OFFLINE.type_confidence,
        OFFLINE.evidence,
        OFFLINE.summary,
        OFFLINE.date,
        OFFLINE.tags,
        "llm",
    )


def test_evidence_stays_where_both_say_the_same() -> None:
    assert merge_answer(OFFLINE, Answer(" Letter", "x", "y", 1.0)).evidence == OFFLINE.evidence


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "14.03.2026", "", None])
def test_a_day_that_is_none_is_not_taken(day: str | None) -> None:
    assert merge_answer(OFFLINE, Answer("letter", "x", "y", 1.0, day)).date == OFFLINE.date


def test_a_long_title_is_cut_between_words() -> None:
    title = merge_answer(OFFLINE, Answer("letter", "word " * 100, "", 1.0)).title
    assert title
    assert (len(title) <= 150, title.endswith("word…")) == (True, True)


TEXT = st.text(max_size=2000)


@example(
    st.builds(
        Answer, TEXT, TEXT, TEXT, st.floats(), st.none() | TEXT, st.none() | TEXT, st.lists(TEXT, max_size=30)
    )
)
def test_whatever_a_model_says_becomes_short_clean_text(answer: Answer) -> None:
    found = merge_answer(Classified(None, None), answer)
    assert found.type is None or found.type in DOCUMENT_TYPES
    assert 0 <= found.type_confidence <= 1
    for text, most in ((found.title, 150), (found.summary, 600), *((tag, 40) for tag in found.tags)):
        assert text is None or (len(text) <= most and text.isprintable())
    assert len(found.tags) <= 8
    assert len({tag.casefold() for tag in found.tags}) == len(found.tags)


def test_a_classification_is_kept_whole() -> None:
    def kept(*stages: str) -> Classified:
        facts: dict[str, Any] = {
            "classify": classification_facts(OFFLINE),
            "classify_ai": classification_facts(merge_answer(OFFLINE, SAID)),
        }
        return kept_classification([StageResult(name, 1, "done", facts[name]) for name in stages], None)  # type: ignore[arg-type]

    assert kept("classify") == OFFLINE
    assert kept("classify", "classify_ai") == merge_answer(OFFLINE, SAID)
