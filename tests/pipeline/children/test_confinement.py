"""What a child is denied, and that it never outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from docyard.model.limits import MEGABYTE, Limits
from docyard.pipeline.children import ChildPool
from tests.making import troubles

PARENT = """
import sys, threading
from pathlib import Path
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from tests.making import troubles

pool = ChildPool(2, Limits())
folder = Path(sys.argv[1])
busy = threading.Thread(target=lambda: pool.call(troubles.hang, folder / "busy", seconds=600))
busy.start()
(folder / "idle").write_text(str(pool.call(troubles.process_id, seconds=20)))
busy.join()
"""


def test_secrets_of_the_parent_are_unknown(pool: ChildPool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCYARD_DATABASE_URL", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "do-not-tell")
    known = pool.call(troubles.environment, seconds=20)
    assert "do-not-tell" not in known.values()
    assert "PATH" in known


def test_limits_are_set(pool: ChildPool, limits: Limits) -> None:
    found = pool.call(troubles.limits, seconds=40)
    assert found["RLIMIT_CORE"] == (0, 0)
    assert found["RLIMIT_NOFILE"][1] <= 256
    assert found["RLIMIT_FSIZE"][1] <= 1 << 30
    assert limits.child_memory_bytes < found["RLIMIT_AS"][1] < limits.child_memory_bytes + 512 * MEGABYTE
    assert 40 <= found["RLIMIT_CPU"][0] <= 60


def test_the_processor_limit_grows_with_every_task(pool: ChildPool) -> None:
    first, second = (pool.call(troubles.limits, seconds=seconds)["RLIMIT_CPU"][0] for seconds in (10, 100))
    assert 80 <= second - first <= 100


def test_polite_signals_are_left_to_the_parent(pool: ChildPool) -> None:
    assert pool.call(troubles.ignored_signals, seconds=20) == [True, True]


def test_nothing_can_be_written_to_our_streams(pool: ChildPool) -> None:
    assert pool.call(troubles.standard_streams, seconds=20) == ["/dev/null"] * 3


def test_the_database_is_not_even_loaded(pool: ChildPool) -> None:
    pool.call(troubles.echo, 1, seconds=20)
    assert not pool.call(troubles.loaded, "psycopg", seconds=20)
    assert pool.call(troubles.loaded, "docyard.stages", seconds=20)


def test_no_child_outlives_a_killed_parent(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], env=environment)
    try:
        busy, idle = (psutil.Process(number) for number in numbers(tmp_path / "busy", tmp_path / "idle"))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    gone, alive = psutil.wait_procs([busy, idle], timeout=10)
    assert (len(gone), alive) == (2, [])


def numbers(*notes: Path) -> list[int]:
    waiting = threading.Event()
    for _ in range(1000):
        if all(note.exists() and note.read_text() for note in notes):
            return [int(note.read_text()) for note in notes]
        waiting.wait(0.02)
    raise TimeoutError
