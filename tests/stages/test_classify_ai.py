"""Merging of a model's answer, cleaned and shortened, into the offline result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.model.document_types import DOCUMENT_TYPES
from docyard.model.facts import Span
from docyard.model.stage_values import Classification, TypeEvidence
from docyard.model.stages import StageResult
from docyard.pipeline.storage.classification import get_classification, make_classification_facts
from docyard.stages.classify_ai import Answer, merge_answer

OFFLINE = Classification(
    "A title", "de", "letter", 0.6, (TypeEvidence("Dear", Span(1, 0, 4), 1.0),), "A summary.", "2026-01-02", ("post",)
)
ANSWER = Answer("invoice", "Invoice 7", "It asks for money.", 0.8, "2026-03-04", "en", ["ropes"])


def test_the_answer_replaces_the_offline_result() -> None:
    assert merge_answer(OFFLINE, ANSWER) == Classification(
        "Invoice 7", "de", "invoice", 0.8, (), "It asks for money.", "2026-03-04", ("ropes",), "llm"
    )


def test_parts_missing_in_the_answer_keep_the_offline_result() -> None:
    result = merge_answer(OFFLINE, Answer("other", "", " ", 0.9))
    assert result == Classification(
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


def test_keeps_the_evidence_if_both_agree_on_the_type() -> None:
    assert merge_answer(OFFLINE, Answer(" Letter", "x", "y", 1.0)).evidence == OFFLINE.evidence


@pytest.mark.parametrize("date", ["yesterday", "2026-13-01", "14.03.2026", "", None])
def test_ignores_an_invalid_date(date: str | None) -> None:
    assert merge_answer(OFFLINE, Answer("letter", "x", "y", 1.0, date)).date == OFFLINE.date


def test_shortens_a_long_title_between_words() -> None:
    title = merge_answer(OFFLINE, Answer("letter", "word " * 100, "", 1.0)).title
    assert title
    assert (len(title) <= 150, title.endswith("word…")) == (True, True)


TEXT = st.text(max_size=2000)


@given(
    st.builds(Answer, TEXT, TEXT, TEXT, st.floats(), st.none() | TEXT, st.none() | TEXT, st.lists(TEXT, max_size=30))
)
def test_any_answer_becomes_short_printable_text(answer: Answer) -> None:
    found = merge_answer(Classification(None, None), answer)
    assert found.type is None or found.type in DOCUMENT_TYPES
    assert 0 <= found.type_confidence <= 1
    for text, limit in ((found.title, 150), (found.summary, 600), *((tag, 40) for tag in found.tags)):
        assert text is None or (len(text) <= limit and text.isprintable())
    assert len(found.tags) <= 8
    assert len({tag.casefold() for tag in found.tags}) == len(found.tags)


def test_a_classification_is_stored_completely() -> None:
    def load(*stages: str) -> Classification:
        facts: dict[str, Any] = {
            "classify": make_classification_facts(OFFLINE),
            "classify_ai": make_classification_facts(merge_answer(OFFLINE, ANSWER)),
        }
        return get_classification([StageResult(name, 1, "done", facts[name]) for name in stages], None)  # type: ignore[arg-type]

    assert load("classify") == OFFLINE
    assert load("classify", "classify_ai") == merge_answer(OFFLINE, ANSWER)
