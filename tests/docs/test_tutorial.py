"""Tests that the commands of the tutorial, run in order, print the output that it shows."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from docyard.db.embedded.guardian import BASE_VARIABLE
from tests.chaos.installation import wait_for
from tests.conftest import open_folder
from tests.docs.tutorial import ROOT, Browser, Server, Shell, Step, matches, steps

# Commands that can be repeated until they print the expected output.
_REPEATABLE = ("docyard queue", "docyard search", "docyard dead list")
_STATE = re.compile(r"(\S+) is (\w+)")
_CORRECTION = re.compile(r"correct (\w+) of (\S+) to (.+)")


@pytest.fixture
def clone() -> Iterator[Path]:
    """A folder that looks like a clone in which `make up` has run once."""
    with open_folder() as folder:
        folder.mkdir(mode=0o755)
        for target in (ROOT / "Makefile", ROOT / "tools"):
            (folder / target.name).symlink_to(target)
        (folder / ".venv").symlink_to(sys.prefix)
        yield folder


class Reader:
    """A reader who follows the tutorial step by step."""

    def __init__(self, clone: Path, server: Server, shell: Shell) -> None:
        self._clone, self._server, self._shell = clone, server, shell
        self._browser: Browser | None = None

    def close(self) -> None:
        """Close the browser."""
        if self._browser:
            self._browser.http.close()

    def follow(self, step: Step) -> None:
        """Perform one step and assert that the output matches the page."""
        if step.kind == "browser":
            self._act(step.text)
        elif step.text == "make up\n":
            wait_for(lambda: matches(str(step.output), self._server.printed), "the sign-in link")
        elif step.output is None:
            self._shell.run(step.text)
        else:
            printed = self._shell.run(step.text)
            deadline = monotonic() + (300 if step.text.startswith(_REPEATABLE) else 0)
            while not matches(step.output, printed) and monotonic() < deadline:
                printed = self._shell.run(step.text)
            assert matches(step.output, printed), printed

    def _act(self, action: str) -> None:
        if action == "sign in":
            self._browser = Browser.sign_in(self._server.link)
        elif action == "press Ctrl-C":
            self._server.close()
        elif self._browser is None:
            raise AssertionError(f"not signed in yet: {action}")
        elif action.startswith("upload "):
            self._browser.upload(self._clone / action.removeprefix("upload "))
        elif correction := _CORRECTION.fullmatch(action):
            self._browser.correct(*correction.groups())
        elif state := _STATE.fullmatch(action):
            wait_for(lambda: self._browser and self._browser.state(state[1]) == state[2], action)
        else:
            raise AssertionError(f"unknown: {action}")


def test_commands_print_what_the_tutorial_shows(clone: Path) -> None:
    environ = {
        name: value
        for name, value in os.environ.items()
        # Variables that `make test` sets must not affect the `make up` of the tutorial.
        if name == BASE_VARIABLE or not name.startswith(("DOCYARD_", "MAKE", "MFLAGS"))
    }
    with (
        closing(Server(clone, environ)) as server,
        closing(Shell(clone, environ)) as shell,
        closing(Reader(clone, server, shell)) as reader,
    ):
        for step in steps():
            reader.follow(step)


def test_the_tutorial_has_steps() -> None:
    assert len(list(steps())) > 20


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("one\n…\nfour\n", "one\n\n two\nthree\nfour\n", True),
        ("one\n…\nfour\n", "one\nfour\n", True),
        ("one\n…\nfour\n", "one\n", False),
        ("a …, b\n", "a 12, b\n", True),
        ("a …, b\n", "a 12\n, b\n", False),
        (" A   B\n ───\n", "A  B\n ─────\n", True),
        ("one\n", "one\ntwo\n", False),
    ],
)
def test_compares_output_with_variable_parts(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) is same
