"""Confinement of children: environment, limits, signals, and death with the parent."""

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
from tests.builders import child_functions

PARENT = """
import sys, threading
from pathlib import Path
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from tests.builders import child_functions

pool = ChildPool(2, Limits())
folder = Path(sys.argv[1])
busy = threading.Thread(target=lambda: pool.call(child_functions.hang, folder / "busy", seconds=600))
busy.start()
(folder / "idle").write_text(str(pool.call(child_functions.get_process_id, seconds=20)))
busy.join()
"""


def test_hides_secrets_in_the_environment(pool: ChildPool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCYARD_DATABASE_URL", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "do-not-tell")
    environment_of_child = pool.call(child_functions.read_environment, seconds=20)
    assert "do-not-tell" not in environment_of_child.values()
    assert "PATH" in environment_of_child


def test_sets_resource_limits(pool: ChildPool, limits: Limits) -> None:
    found = pool.call(child_functions.read_limits, seconds=40)
    assert found["RLIMIT_CORE"] == (0, 0)
    assert found["RLIMIT_NOFILE"][1] <= 256
    assert found["RLIMIT_FSIZE"][1] <= 1 << 30
    assert limits.child_memory_bytes < found["RLIMIT_AS"][1] < limits.child_memory_bytes + 512 * MEGABYTE
    assert 40 <= found["RLIMIT_CPU"][0] <= 60


def test_extends_the_cpu_limit_for_every_task(pool: ChildPool) -> None:
    first, second = (pool.call(child_functions.read_limits, seconds=seconds)["RLIMIT_CPU"][0] for seconds in (10, 100))
    assert 80 <= second - first <= 100


def test_ignores_sigint_and_sigterm(pool: ChildPool) -> None:
    assert pool.call(child_functions.list_ignored_signals, seconds=20) == [True, True]


def test_standard_streams_reach_neither_terminal_nor_log(pool: ChildPool) -> None:
    streams = pool.call(child_functions.list_standard_streams, seconds=20)
    assert streams == ["/dev/null", "/dev/null", "/memfd:stderr (deleted)"]


def test_does_not_load_the_database_driver(pool: ChildPool) -> None:
    pool.call(child_functions.echo, 1, seconds=20)
    assert not pool.call(child_functions.is_loaded, "psycopg", seconds=20)
    assert pool.call(child_functions.is_loaded, "docyard.stages", seconds=20)


def test_children_die_with_a_killed_parent(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], env=environment)
    try:
        busy, idle = (psutil.Process(number) for number in read_process_ids(tmp_path / "busy", tmp_path / "idle"))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    gone, alive = psutil.wait_procs([busy, idle], timeout=10)
    assert (len(gone), alive) == (2, [])


def read_process_ids(*paths: Path) -> list[int]:
    waiting = threading.Event()
    for _ in range(1000):
        if all(path.exists() and path.read_text() for path in paths):
            return [int(path.read_text()) for path in paths]
        waiting.wait(0.02)
    raise TimeoutError
