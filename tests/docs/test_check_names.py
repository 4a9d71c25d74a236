"""Tests of tools/check_names.py: names and files that texts mention."""

from __future__ import annotations

import pytest

from tools.check_names import check, list_files, list_names
from tools.prose import ROOT, Text

GOOD = (
    "Raise KeyError if there is none.",
    "Call `claim`, then `queue.settle()`.",
    "See claim_jobs.sql and tools/check_names.py.",
    "Raise an error; see `DOCYARD_HOME`.",
)
BAD = {
    "Raise CannotDoThat if it fails.": "CannotDoThat",
    "Call `no_such_function()` first.": "no_such_function",
    "Call `queue.no_such_function` first.": "queue.no_such_function",
    "See no_such_file.sql.": "no_such_file.sql",
}


@pytest.fixture(scope="module")
def known() -> tuple[set[str], set[str]]:
    return list_names(), list_files()


@pytest.mark.parametrize("text", GOOD)
def test_accepts_names_that_exist(known: tuple[set[str], set[str]], text: str) -> None:
    assert list(check([Text(ROOT / "README.md", 1, "comment", text)], *known)) == []


@pytest.mark.parametrize("text", BAD)
def test_finds_names_that_do_not_exist(known: tuple[set[str], set[str]], text: str) -> None:
    # The known names include the words of this module's strings, so the invented names are removed.
    names = known[0] - {"CannotDoThat", "no_such_function"}
    (error,) = check([Text(ROOT / "README.md", 1, "comment", text)], names, known[1])
    assert error == f"README.md:1 mentions {BAD[text]}"
