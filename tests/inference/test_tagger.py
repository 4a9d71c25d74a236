"""The tagger finds names that no rule matches, and reads a text in windows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.facts.entities import recognition
from docyard.facts.entities.recognition import read_mentions
from docyard.inference import tagger
from docyard.inference.embedding import find_model
from docyard.inference.token_windows import MAX_TOKENS, load_tokenizer, split_windows, tokenize
from docyard.model.text.pages import Page

TEXT = "Angela Merkel visited Paris, where engineers of Siemens had waited for her since Tuesday."


def find_named(text: str) -> set[tuple[str, str]]:
    return {(each.kind, each.text) for each in read_mentions([Page(1, text)], "en")}


def test_finds_people_organisations_and_places_in_prose() -> None:
    assert find_named(TEXT) >= {("person", "Angela Merkel"), ("place", "Paris"), ("organisation", "Siemens")}


def test_finds_equipment_faults_and_actions_in_work_orders() -> None:
    kinds = {kind for kind, _ in find_named("replace leaking hydraulic hose on pump")}
    assert kinds >= {"action", "fault"}
    assert kinds & {"equipment", "part"}


def test_trims_punctuation_around_a_name() -> None:
    message = (
        "From: Jonas Lind <jonas@harbour-quay.example>\nTo: Ada Petersen <ada@northwind.example>\n"
        "Date: Tue, 06 May 2025 09:15:00 +0200\nSubject: Survey of the slipway\n\nDear Ms Petersen,\n\n"
        "the surveyor looked at the boathouse on Monday. Two planks of the slipway are rotten and must be\n"
        "replaced before the season; his list of parts is attached.\n\nJonas Lind"
    )
    texts = {text for _, text in find_named(message)}
    assert {text.rstrip(" <") for text in texts} == texts
    assert "Ada Petersen" in texts


def test_tagger_skips_text_that_a_rule_matched() -> None:
    found = read_mentions([Page(1, "Write to angela.merkel@siemens.example in Paris.")], "en")
    assert [(each.kind, each.source) for each in found] == [("email", "rule"), ("place", "model")]


def test_finds_names_only_by_rules_without_the_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger, "is_installed", lambda: False)
    assert find_named(f"{TEXT} Paid on 5 May 2024.") == {("date", "5 May 2024")}


def test_tagger_reads_a_document_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "MAX_TAGGED_CHARS", len(TEXT) + 10)
    found = read_mentions([Page(1, TEXT), Page(2, TEXT + " Paid on 5 May 2024.")], "en")
    assert {each.span.page for each in found if each.source == "model"} == {1}
    assert [each.kind for each in found if each.span.page == 2] == ["date"]


def test_reads_a_text_that_is_one_long_word() -> None:
    assert read_mentions([Page(1, "A" * 100_000), Page(2, "1 A" * 2_000)], None) is not None


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    model = find_model()
    assert model is not None
    return load_tokenizer(model.folder)


WORDS = st.sampled_from(["word", "Unbelievableness", ".", "\n\n", "Ω", "3rd", "naïve-ish", ";", "x" * 300])


@settings(max_examples=50, deadline=None)
@given(st.lists(WORDS, max_size=400))
def test_windows_cover_the_text_and_never_split_a_word(tokenizer: Any, words: list[str]) -> None:
    text = " ".join(words)
    found = tokenize(tokenizer, text)
    ranges = list(split_windows(found, text))
    assert [index for first, last in ranges for index in range(first, last)] == list(range(len(found)))
    assert all(last - first <= MAX_TOKENS and found[first].starts_word for first, last in ranges)
