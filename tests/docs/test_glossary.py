"""Tests that the glossary is sorted, defines every term once, and refers to existing code and tables."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| \*\*(.+?)\*\* \| (.+?) \| (table )?`([\w.]+)` \|$", re.MULTILINE)
PAGE = (ROOT / "docs" / "glossary.md").read_text()
ROWS = _ROW.findall(PAGE)
_MIGRATIONS = "".join(path.read_text() for path in (ROOT / "src/docyard/db/migrations").glob("*.sql"))
TABLES = set(re.findall(r"^CREATE TABLE (\w+)", _MIGRATIONS, re.MULTILINE))


def test_terms_are_sorted_and_unique() -> None:
    terms = [term.lower() for term, *_ in ROWS]
    assert len(terms) == PAGE.count("\n| **") > 100
    assert terms == sorted(set(terms))


def test_each_term_has_one_meaning() -> None:
    assert [term for term, meaning, *_ in ROWS if re.search(r"; (of|in|for) [^;]+: ", meaning)] == []


@pytest.mark.parametrize(("table", "name"), [row[2:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_term_exists_in_code(table: str, name: str) -> None:
    assert name in TABLES if table else _exists(f"docyard.{name}")


def _exists(dotted: str) -> bool:
    module, _, name = dotted.rpartition(".")
    try:
        if find_spec(dotted):
            return True
    except ModuleNotFoundError:
        pass  # the last part is not a module
    return hasattr(import_module(module), name)
