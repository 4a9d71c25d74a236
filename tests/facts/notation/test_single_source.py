"""Months, dates and legal forms are defined in the notation package only."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import docyard
from docyard.facts.notation.lexicon import load_words

ROOT = Path(docyard.__file__).parent
NOTATION = ROOT / "facts" / "notation"
# Texts of sample documents, not rules.
SAMPLES = {ROOT / "cli" / "run" / "samples.py"}
# Names of up to five letters are left out: some, such as "March", "May" and "mars", are also ordinary words.
MONTHS = sorted(
    {
        name
        for months in load_words("months")["full"].values()
        for names in months
        for name in names.split()
        if len(name) > 5
    }
)
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
DATES = ("12.03.2024", "12/03/2024", "2024-03-12", "12.03.24")
# A pattern that also matches these is not specific to dates.
OTHER = ("ab.cd.efgh", "ab/cd/efgh", "1234567890", "1.2.3.4.5.6")
FORM = re.compile(r"\b(?:gmbh|llc|s\.?a\.?r\.?l|sdn)\b", re.IGNORECASE)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a file, except docstrings, with their line numbers (0 if not a Python file)."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        yield from ((0, value) for value in values(tomllib.loads(text)))
    if path.suffix == ".sql":
        yield 0, text
    if path.suffix != ".py":
        return
    tree = ast.parse(text)
    docs = {
        node.body[0].value.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno not in docs:
            yield node.lineno, node.value


def values(data: object) -> Iterator[str]:
    """Yield the strings inside tables and lists."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from values(each)


def list_strings_outside() -> list[tuple[str, str]]:
    """Return each string outside the notation package and the samples, preceded by its file and line."""
    files = [path for kind in ("*.py", "*.toml", "*.sql") for path in ROOT.rglob(kind)]
    kept = [path for path in files if NOTATION not in path.parents and path not in SAMPLES]
    return [(f"{path.relative_to(ROOT)}:{line}", text) for path in sorted(kept) for line, text in strings(path)]


def is_date_pattern(text: str) -> bool:
    """Return whether a string is a regular expression that matches dates and little else."""
    if r"\d" not in text and "[0-9" not in text:
        return False
    try:
        pattern = re.compile(text)
    except (re.error, FutureWarning):  # text, not a pattern
        return False
    covers = any((found := pattern.search(date)) and len(found[0]) >= len(date) for date in DATES)
    return covers and not any(pattern.fullmatch(other) for other in OTHER)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    found = list_strings_outside()
    assert len(found) > 5_000
    return found


def test_month_names_are_only_in_notation(texts: list[tuple[str, str]]) -> None:
    assert MONTH.search("den 3. Februar")
    assert [location for location, text in texts if MONTH.search(text)] == []


def test_date_patterns_are_only_in_notation(texts: list[tuple[str, str]]) -> None:
    assert is_date_pattern(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
    assert [location for location, text in texts if is_date_pattern(text)] == []


def test_legal_forms_are_only_in_notation(texts: list[tuple[str, str]]) -> None:
    assert FORM.search("Harbour GmbH")
    assert [location for location, text in texts if FORM.search(text)] == []
