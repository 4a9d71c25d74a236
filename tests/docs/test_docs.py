"""Tests that the documentation matches the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docyard.model.failures import CATEGORIES
from docyard.model.status import DISPLAY_STATES
from docyard.stages import STAGES

ROOT = Path(__file__).parent.parent.parent
STATES = (ROOT / "docs" / "reference" / "document-states.md").read_text()


def test_failure_categories_are_documented_correctly() -> None:
    documented = re.findall(r"^\| (\w+) \| (yes|no) \| ?(\d*) \| (yes|no) \|$", STATES, re.MULTILINE)
    actual = [
        (c.name, "yes" if c.retry else "no", f"{c.delay:.0f}" if c.retry else "", "yes" if c.noted else "no")
        for c in CATEGORIES.values()
    ]
    assert documented == actual


def test_required_stages_are_documented() -> None:
    (row,) = re.findall(r"^\| failed \| .*?, (?:a required stage) \((.*?)\)", STATES, re.MULTILINE)
    assert row.split(", ") == [stage.name for stage in STAGES if stage.required]


def test_display_states_are_documented() -> None:
    assert [state.word for state in DISPLAY_STATES if state.word not in STATES] == []


def test_links_between_pages_resolve() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("README.md", 700), ("ARCHITECTURE.md", 650), ("CHANGELOG.md", 1400), ("docs/explanation/*.md", 900)],
)
def test_pages_are_short(pattern: str, words: int) -> None:
    lengths = {page.name: len(page.read_text().split()) for page in ROOT.glob(pattern)}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > words} == {}
