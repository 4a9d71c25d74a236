"""Tests that the documentation matches the code."""

from __future__ import annotations

import re
from pathlib import Path

from docyard.cli.main import COMMANDS
from docyard.model.failures import CATEGORIES
from docyard.model.status import DISPLAY_STATES
from tools.settings_doc import settings_page

ROOT = Path(__file__).parent.parent.parent
STATES = (ROOT / "docs" / "job-states.md").read_text()


def test_settings_page_is_current() -> None:
    assert (ROOT / "docs" / "settings.md").read_text() == settings_page(), "run `make docs`"


def test_failure_categories_are_documented_correctly() -> None:
    documented = re.findall(
        r"^\| (\w+) \| (yes|no) \| ?(\d*) \| (failed|degraded|noted) \|$", STATES, re.MULTILINE
    )
    actual = [
        (c.name, "yes" if c.retry else "no", f"{c.delay:.0f}" if c.retry else "", c.ending.value)
        for c in CATEGORIES.values()
    ]
    assert documented == [(name, retry, delay, ending) for name, retry, delay, ending in actual]


def test_display_states_are_documented() -> None:
    assert [state.word for state in DISPLAY_STATES if state.word not in STATES] == []


def test_readme_mentions_every_command() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [name for name in COMMANDS if f"docyard {name}" not in readme] == []


def test_links_between_pages_resolve() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []
