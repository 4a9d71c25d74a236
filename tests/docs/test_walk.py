"""The walks through the code: each link is at its line, and each file follows from one before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.walk_doc import PAGE, links, numbered

SOURCE = PAGE.parent.parent / "src"
_PARTS = re.split(r"^### ", PAGE.read_text(), flags=re.MULTILINE)[1:]


def test_every_link_goes_to_the_line_of_its_name() -> None:
    text = PAGE.read_text()
    assert len(links(text)) > 50
    assert numbered(text) == text, "run `make docs`"


def test_no_step_leads_into_a_migration() -> None:
    files = [link.file for link in links(PAGE.read_text())]
    assert files
    assert not [file for file in files if "migrations" in file.parts]


@pytest.mark.parametrize("part", _PARTS, ids=[part.splitlines()[0] for part in _PARTS])
def test_every_file_is_named_by_one_before_it(part: str) -> None:
    first, *others = dict.fromkeys(link.file for link in links(part))
    assert others
    shown = {first}
    for file in others:
        assert any(file in named_files(each) for each in shown), f"nothing leads to {file.name}"
        shown.add(file)


@cache
def named_files(file: Path) -> frozenset[Path]:
    """The files that a reader of this one is sent to: imports, statements, functions."""
    text = file.read_text()
    beside = {each for each in file.parent.glob("*.sql") if re.search(rf"\b{each.stem}\b", text)}
    return frozenset(beside.union(_imported(file) if file.suffix == ".py" else ()))


def _imported(file: Path) -> Iterator[Path]:
    """Imported modules, and what packages among them import in turn."""
    for name in _names(file):
        for path in (SOURCE / f"{name}.py", SOURCE / name / "__init__.py"):
            if path.is_file() and path != file:
                yield path
                if path.name == "__init__.py":
                    yield from _imported(path)


def _names(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.replace(".", "/")
            yield from (f"{node.module}.{each.name}".replace(".", "/") for each in node.names)
