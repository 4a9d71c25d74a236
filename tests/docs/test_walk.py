"""Tests of docs/walk.md: line numbers are correct, and each file is referenced by an earlier one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.walk_doc import PAGE, find_links, update_line_numbers

SOURCE = PAGE.parent.parent / "src"
_SECTIONS = re.split(r"^### ", PAGE.read_text(), flags=re.MULTILINE)[1:]


def test_links_point_to_the_lines_of_their_names() -> None:
    text = PAGE.read_text()
    assert len(find_links(text)) > 50
    assert update_line_numbers(text) == text, "run `make docs`"


def test_no_link_points_to_a_migration() -> None:
    files = [link.file for link in find_links(PAGE.read_text())]
    assert files
    assert not [file for file in files if "migrations" in file.parts]


@pytest.mark.parametrize("section", _SECTIONS, ids=[section.splitlines()[0] for section in _SECTIONS])
def test_each_file_is_referenced_by_an_earlier_one(section: str) -> None:
    first, *others = dict.fromkeys(link.file for link in find_links(section))
    assert others
    seen = {first}
    for file in others:
        assert any(file in referenced_files(each) for each in seen), f"no earlier file references {file.name}"
        seen.add(file)


@cache
def referenced_files(file: Path) -> frozenset[Path]:
    """Return the files that a file references: imported modules, and SQL files in the same folder."""
    text = file.read_text()
    sql_files = {each for each in file.parent.glob("*.sql") if re.search(rf"\b{each.stem}\b", text)}
    return frozenset(sql_files.union(_imported_files(file) if file.suffix == ".py" else ()))


def _imported_files(file: Path) -> Iterator[Path]:
    """Yield the imported modules; for packages, also the modules that they import."""
    for name in _imported_names(file):
        for path in (SOURCE / f"{name}.py", SOURCE / name / "__init__.py"):
            if path.is_file() and path != file:
                yield path
                if path.name == "__init__.py":
                    yield from _imported_files(path)


def _imported_names(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.replace(".", "/")
            yield from (f"{node.module}.{each.name}".replace(".", "/") for each in node.names)
