"""Tests that the generated pages of docs/reference match the code."""

from __future__ import annotations

import re

import pytest

from docyard.cli.main import COMMANDS
from docyard.db import Connection
from tools.reference.__main__ import FOLDER, pages
from tools.reference.sql import FUNCTIONS, VIEWS

GENERATED = ("api.md", "commands.md", "metrics.md", "settings.md", "sql.md")


@pytest.mark.parametrize("name", GENERATED)
def test_page_matches_the_code(conn: Connection, name: str) -> None:
    assert (FOLDER / name).read_text() == pages(conn)[name], "run `make docs`"


def test_every_generated_page_is_compared(conn: Connection) -> None:
    assert sorted(pages(conn)) == sorted(GENERATED)


def test_every_command_has_a_section() -> None:
    page = (FOLDER / "commands.md").read_text()
    assert [name for name in COMMANDS if f"\n## docyard {name}\n" not in page] == []


@pytest.mark.parametrize("name", [*VIEWS, *FUNCTIONS])
def test_every_view_column_and_function_has_a_comment(conn: Connection, name: str) -> None:
    (section,) = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", pages(conn)["sql.md"], re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| (.*) \|$", section, re.MULTILINE)
    assert bool(rows) == (name in VIEWS)
    assert [column for column, comment in rows if len(comment) < 5] == []
    assert re.search(r"^[A-Z].*\.$", section, re.MULTILINE)
