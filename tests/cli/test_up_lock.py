"""Tests of the lock that allows one `docyard up` per installation."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

import pytest

from docyard.cli.run import up_lock
from docyard.cli.run.up_lock import LockResult, acquire_up_lock, save_port
from docyard.db.embedded.locks import open_lock, try_exclusive
from docyard.errors import SetupError


@pytest.fixture
def other_lock(tmp_path: Path) -> int:
    """The lock of another `up` that has not saved its port yet."""
    lock = open_lock(tmp_path / "up.lock")
    assert try_exclusive(lock)
    return lock


class ScriptedEvent(Event):
    """An event that runs its next action at each wait; an action may, for example, end the other `up`."""

    def __init__(self, *actions: object) -> None:
        super().__init__()
        self.actions = list(actions)

    def wait(self, timeout: float | None = None) -> bool:
        """Run the next action; fail if none is left."""
        action = self.actions.pop(0)
        assert callable(action)
        action()
        return self.is_set()


def keep_starting() -> None:
    """Do nothing: the other `up` is still starting."""


def test_first_process_gets_the_lock_and_removes_an_old_port(tmp_path: Path) -> None:
    save_port(tmp_path, 8400)  # left behind by a killed process
    with acquire_up_lock(tmp_path, Event()) as turn:
        assert turn == LockResult(acquired=True)
        assert not (tmp_path / "up.port").exists()


def test_second_process_waits_for_the_port_of_the_first(tmp_path: Path, other_lock: int) -> None:
    stop_requested = ScriptedEvent(keep_starting, lambda: save_port(tmp_path, 8400))
    with acquire_up_lock(tmp_path, stop_requested) as turn:
        assert turn == LockResult(port=8400)
    os.close(other_lock)


def test_second_process_gets_the_lock_when_the_first_dies(tmp_path: Path, other_lock: int) -> None:
    stop_requested = ScriptedEvent(keep_starting, lambda: os.close(other_lock))
    with acquire_up_lock(tmp_path, stop_requested) as turn:
        assert turn == LockResult(acquired=True)
        third = open_lock(tmp_path / "up.lock")
        assert not try_exclusive(third)
        os.close(third)


def test_stop_request_ends_the_wait_for_the_first_process(tmp_path: Path, other_lock: int) -> None:
    stop_requested = ScriptedEvent()
    stop_requested.actions = [keep_starting, stop_requested.set]
    with acquire_up_lock(tmp_path, stop_requested) as turn:
        assert turn == LockResult()
    os.close(other_lock)


def test_reports_a_process_that_does_not_become_ready(
    tmp_path: Path, other_lock: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(up_lock, "_START_TIMEOUT", 0.0)
    with (
        pytest.raises(SetupError, match="is not ready after"),
        acquire_up_lock(tmp_path, ScriptedEvent(*[keep_starting] * 9)),
    ):
        raise AssertionError("the lock must not be granted")
    os.close(other_lock)
