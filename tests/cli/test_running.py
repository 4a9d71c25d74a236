"""The one `up` of an installation: a second one finds it, takes over if it died, and can be stopped."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

import pytest

from docyard.cli.run import running
from docyard.cli.run.running import Turn, note_port, only_one
from docyard.db.embedded.locks import open_lock, try_exclusive
from docyard.errors import Setup


@pytest.fixture
def starting(tmp_path: Path) -> int:
    """The lock of another `up` in this home, which has no port yet."""
    lock = open_lock(tmp_path / "up.lock")
    assert try_exclusive(lock)
    return lock


class Meanwhile(Event):
    """Waiting lets something happen to the other `up`."""

    def __init__(self, *happens: object) -> None:
        super().__init__()
        self.happens = list(happens)

    def wait(self, timeout: float | None = None) -> bool:
        """Only a moment, in which the next thing happens; fails where nothing is left to wait for."""
        happening = self.happens.pop(0)
        assert callable(happening)
        happening()
        return self.is_set()


def nothing() -> None:
    """The other one goes on starting."""


def test_whoever_comes_first_is_the_one(tmp_path: Path) -> None:
    note_port(tmp_path, 8400)  # of one that was killed
    with only_one(tmp_path, Event()) as turn:
        assert turn == Turn(ours=True)
        assert not (tmp_path / "up.port").exists()


def test_a_second_one_waits_for_the_port_of_the_first(tmp_path: Path, starting: int) -> None:
    waiting = Meanwhile(nothing, lambda: note_port(tmp_path, 8400))
    with only_one(tmp_path, waiting) as turn:
        assert turn == Turn(port=8400)
    os.close(starting)


def test_a_second_one_takes_over_when_the_first_dies(tmp_path: Path, starting: int) -> None:
    waiting = Meanwhile(nothing, lambda: os.close(starting))
    with only_one(tmp_path, waiting) as turn:
        assert turn == Turn(ours=True)
        third = open_lock(tmp_path / "up.lock")
        assert not try_exclusive(third)
        os.close(third)


def test_a_second_one_that_is_asked_to_stop_waits_no_longer(tmp_path: Path, starting: int) -> None:
    waiting = Meanwhile()
    waiting.happens = [nothing, waiting.set]
    with only_one(tmp_path, waiting) as turn:
        assert turn == Turn()
    os.close(starting)


def test_one_that_is_never_ready_is_given_up(
    tmp_path: Path, starting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_STARTS_WITHIN", 0.0)
    with pytest.raises(Setup, match="starting, but not ready"), only_one(tmp_path, Meanwhile(*[nothing] * 9)):
        raise AssertionError("nobody may start here")
    os.close(starting)
