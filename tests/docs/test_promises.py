"""Tests of docs/promises.md and of the rule that no SQL is built with f-strings."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "promises.md").read_text()
_SQL_KEYWORDS = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b")


@cache
def function_names(file: str) -> set[str]:
    """Return the names of all functions in a file."""
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_listed_tests_exist() -> None:
    listed = re.findall(r"(tests/[\w/]+\.py)::(\w+)", PAGE)
    assert len(listed) > 100
    assert [f"{file}::{name}" for file, name in listed if name not in function_names(file)] == []


def test_every_promise_lists_a_test() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.*) \|$", PAGE, re.MULTILINE)
    promises = [(code, tests) for code, _, tests in rows if code not in ("code", "---")]
    assert len(promises) > 50
    test_list = re.compile(r"tests/[\w/]+\.py::test_\w+(, tests/[\w/]+\.py::test_\w+)*")
    assert [code for code, tests in promises if not test_list.fullmatch(tests)] == []


def find_formatted_sql(tree: ast.AST) -> list[str]:
    """Return the f-strings that contain SQL keywords."""
    texts = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    return [text for text in texts if _SQL_KEYWORDS.search(text)]


def test_no_sql_is_built_with_f_strings() -> None:
    found = {
        str(path.relative_to(ROOT)): sql
        for path in (ROOT / "src").rglob("*.py")
        if (sql := find_formatted_sql(ast.parse(path.read_text())))
    }
    assert found == {}
    assert find_formatted_sql(ast.parse('f"SELECT * FROM t WHERE id = {x}"'))
