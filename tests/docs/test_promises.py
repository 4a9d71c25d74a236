"""The page of promises names tests that exist, and every promise names one."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "promises.md").read_text()
_SQL_WORDS = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b")


@cache
def names_in(file: str) -> set[str]:
    """The names of a file's tests."""
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_named_exists() -> None:
    named = re.findall(r"(tests/[\w/]+\.py)::(\w+)", PAGE)
    assert len(named) > 100
    assert [f"{file}::{name}" for file, name in named if name not in names_in(file)] == []


def test_every_promise_names_a_test() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.*) \|$", PAGE, re.MULTILINE)
    promises = [(code, tests) for code, _, tests in rows if code not in ("code", "---")]
    assert len(promises) > 50
    whole = re.compile(r"tests/[\w/]+\.py::test_\w+(, tests/[\w/]+\.py::test_\w+)*")
    assert [code for code, tests in promises if not whole.fullmatch(tests)] == []


def formatted_sql(tree: ast.AST) -> list[str]:
    """Formatted strings that look like SQL."""
    texts = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    return [text for text in texts if _SQL_WORDS.search(text)]


def test_no_program_text_is_formatted_into_sql() -> None:
    found = {
        str(path.relative_to(ROOT)): sql
        for path in (ROOT / "src").rglob("*.py")
        if (sql := formatted_sql(ast.parse(path.read_text())))
    }
    assert found == {}
    assert formatted_sql(ast.parse('f"SELECT * FROM t WHERE id = {x}"'))
