"""Tests of tools/check_words.py: module names, and words that read like a literal translation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_words
from tools.check_words import check_limits, check_modules
from tools.prose import ROOT, Text


@pytest.mark.parametrize("name", ["asking", "test_judging", "query_wording", "told", "again", "_holding"])
def test_rejects_module_names_that_are_not_nouns(name: str) -> None:
    assert len(list(check_modules([ROOT / "src" / f"{name}.py"]))) == 1


@pytest.mark.parametrize("name", ["leases", "query_parser", "test_ranking", "embedding", "settings", "__init__"])
def test_accepts_module_names_that_are_nouns(name: str) -> None:
    assert list(check_modules([ROOT / "src" / f"{name}.py"])) == []


def write(*texts: str) -> list[Text]:
    return [Text(ROOT / "README.md", line, "document", text) for line, text in enumerate(texts, start=1)]


def test_rejects_a_pattern_that_occurs_more_often_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_words, "LIMITS", {"stands?": 1})
    assert list(check_limits(write("It stands here.", "A standard."))) == []
    (error, *lines) = check_limits(write("It stands here.", "They stand.", "Nothing."))
    assert "occurs 2 times (limit 1)" in error
    assert [line.split()[0] for line in lines] == ["README.md:1", "README.md:2"]


def test_rejects_a_limit_that_is_higher_than_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_words, "LIMITS", {"told": 2})
    (error,) = check_limits(write("It was told."))
    assert "lower its limit from 2" in error


def test_lists_modules_of_code_and_tests() -> None:
    listed = check_words.list_modules()
    assert {Path(check_words.__file__), Path(__file__)} <= set(listed)
