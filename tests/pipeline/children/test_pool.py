"""Sharing of children between threads, aborting of calls, and clean shutdown."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from docyard.errors import Failure, Retry
from docyard.inference.embedding import find_package_folder
from docyard.model.limits import CONCURRENT_RENDERS, Limits
from docyard.pipeline.children import ChildPool
from tests.builders import child_functions
from tests.builders.models import make_model


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    waiting = threading.Event()
    return any(condition() or waiting.wait(0.02) for _ in range(int(seconds * 50))) or condition()


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if is_reader(child)]


def is_reader(child: psutil.Process) -> bool:
    try:
        return "docyard.pipeline.children.child" in child.cmdline()
    except psutil.NoSuchProcess:  # it has just ended
        return False


def test_runs_at_most_size_calls_concurrently(pool: ChildPool, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        calls = [
            threads.submit(pool.call, child_functions.count_concurrent_calls, tmp_path, 0.1, seconds=20)
            for _ in range(12)
        ]
    counts = [call.result() for call in calls]
    assert max(counts) == 2
    assert len(children()) == 2


def test_renders_two_page_images_concurrently(limits: Limits, tmp_path: Path) -> None:
    with ChildPool(CONCURRENT_RENDERS, limits) as pool, ThreadPoolExecutor(4) as threads:
        work = [
            threads.submit(pool.call, child_functions.count_concurrent_calls, tmp_path, 0.05, seconds=20)
            for _ in range(6)
        ]
    assert max(each.result() for each in work) == 2


def test_abort_ends_only_calls_with_its_key(pool: ChildPool, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as threads:
        lost = threads.submit(pool.call, child_functions.hang, tmp_path / "lost", seconds=60, key="lost")
        kept = threads.submit(pool.call, child_functions.count_concurrent_calls, tmp_path, 1, seconds=60, key="kept")
        assert eventually((tmp_path / "lost").exists)
        pool.abort("lost")
        assert get_category(lost) == "worker_lost"
        assert kept.result() >= 1


def test_abort_ends_a_call_that_waits_for_a_child(limits: Limits, tmp_path: Path) -> None:
    with ChildPool(1, limits) as pool, ThreadPoolExecutor(2) as threads:
        first = threads.submit(pool.call, child_functions.hang, tmp_path / "first", seconds=60, key=1)
        assert eventually((tmp_path / "first").exists)
        second = threads.submit(pool.call, child_functions.hang, None, seconds=60, key=2)
        assert eventually(lambda: len(pool._calls) == 2)
        pool.abort(2)
        assert get_category(second) == "worker_lost"
        assert not first.done()
        pool.abort(1)
        assert get_category(first) == "worker_lost"
        assert pool.call(child_functions.echo, 1, seconds=20) == 1


def test_abort_of_an_unknown_key_has_no_effect(pool: ChildPool) -> None:
    before = pool.call(child_functions.get_process_id, seconds=20)
    pool.abort("unknown")
    pool.abort(None)
    assert pool.call(child_functions.get_process_id, seconds=20) == before


def test_children_outlive_the_calling_threads(pool: ChildPool) -> None:
    # The kernel sends the parent-death signal when the thread that started the child ends.
    found: list[int] = []
    caller = threading.Thread(target=lambda: found.append(pool.call(child_functions.get_process_id, seconds=20)))
    caller.start()
    caller.join()
    assert pool.call(child_functions.get_process_id, seconds=20) == found[0]


def test_replaces_a_child_after_its_maximum_number_of_calls(limits: Limits) -> None:
    with ChildPool(1, replace(limits, child_documents=3)) as pool:
        used = [pool.call(child_functions.get_process_id, seconds=20) for _ in range(7)]
    assert [used.count(each) for each in dict.fromkeys(used)] == [3, 3, 1]


def test_replaces_a_child_that_died_while_idle(pool: ChildPool) -> None:
    child = psutil.Process(pool.call(child_functions.get_process_id, seconds=20))
    child.kill()
    assert eventually(lambda: child.status() == "zombie")
    assert pool.call(child_functions.echo, 1, seconds=20) == 1


def test_fifty_crashes_leak_no_descriptors(pool: ChildPool) -> None:
    pool.call(child_functions.echo, 1, seconds=20)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - Path.iterdir would open one more
    for _ in range(50):
        with pytest.raises(Failure):
            pool.call(child_functions.exit_process, 1, seconds=20)
    pool.call(child_functions.echo, 1, seconds=20)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert len(children()) == 1


def test_close_ends_running_and_waiting_calls(limits: Limits, tmp_path: Path) -> None:
    pool = ChildPool(1, limits)
    with ThreadPoolExecutor(2) as threads:
        running = threads.submit(pool.call, child_functions.hang, tmp_path / "running", seconds=60)
        assert eventually((tmp_path / "running").exists)
        waiting = threads.submit(pool.call, child_functions.hang, None, seconds=60)
        pool.close()
        assert children() == []
        assert (get_category(running), get_category(waiting)) == ("worker_lost", "worker_lost")
    with pytest.raises(Retry):
        pool.call(child_functions.echo, 1, seconds=1)


def test_closing_an_unused_pool_starts_no_child(limits: Limits) -> None:
    ChildPool(2, limits).close()
    assert children() == []


def get_category(call: Future[None]) -> str:
    failure = call.exception(timeout=20)
    assert isinstance(failure, Retry)
    return failure.category


def test_children_use_the_configured_embedding_model(tmp_path: Path) -> None:
    """The tagger does not: it always uses the model that it was trained with."""
    folder = make_model(tmp_path / "small")
    with ChildPool(1, Limits(embedding_model=str(folder))) as pool:
        assert pool.call(child_functions.read_model_names, seconds=30) == ("small", str(find_package_folder()))
    with ChildPool(1, Limits()) as pool:
        assert pool.call(child_functions.read_model_names, seconds=30) == (
            "all-MiniLM-L6-v2",
            str(find_package_folder()),
        )
