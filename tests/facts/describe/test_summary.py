"""Summaries made of a document's own sentences, and keywords."""

from __future__ import annotations

from docyard.facts.describe.keywords import extract_keywords
from docyard.facts.describe.summary import summarise
from docyard.model.text.pages import Page

HARBOUR = """# Harbour report

The harbour was dredged in spring and the harbour basin is now five metres deep at low tide.
It rained. Mr. Moor said so. Gulls were counted by nobody in particular on most of these days.

The dredged basin lets larger ships enter the harbour at low tide without waiting for pilots.

| ship | draught |
| --- | --- |
| Anna | 4.5 |
"""


def test_a_summary_consists_of_whole_sentences_of_the_text() -> None:
    summary = summarise([Page(1, HARBOUR)], "Harbour report")
    assert summary is not None
    assert summary.startswith("The harbour was dredged in spring")
    flowing = " ".join(HARBOUR.split())
    for sentence in summary.split(". "):
        assert sentence.rstrip(".") in flowing
    assert "|" not in summary
    assert "It rained" not in summary


def test_a_text_without_sentences_has_no_summary() -> None:
    assert summarise([Page(1, "Total 5.00\nCash 10.00\nChange 5.00")]) is None
    assert summarise([]) is None


def test_a_summary_is_short() -> None:
    text = "\n\n".join(f"The tide number {n} reached the old harbour wall before noon on that day." for n in range(200))
    summary = summarise([Page(1, text)])
    assert summary is not None
    assert len(summary) <= 500


def test_keywords_are_frequent_words() -> None:
    words = extract_keywords(HARBOUR * 2, "Harbour report")
    assert words[0] == "harbour"
    assert {"basin", "tide"} <= set(words)
    assert not {"the", "was", "and"} & set(words)
    assert extract_keywords("", None) == ()
