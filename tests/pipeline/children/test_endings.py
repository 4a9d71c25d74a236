"""However a child ends, its document gets a reason and the pool stays usable."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from docyard.errors import Failure, Reject, Retry
from docyard.pipeline.children import ChildPool, wire
from tests.making import troubles


def failure_of(
    pool: ChildPool, function: Callable[..., object], *args: object, seconds: float = 20
) -> Failure:
    with pytest.raises(Failure) as caught:
        pool.call(function, *args, seconds=seconds)
    assert pool.call(troubles.echo, "still here", seconds=20) == "still here"
    return caught.value


def test_value_comes_back(pool: ChildPool) -> None:
    assert pool.call(troubles.echo, ("a", 1, b"\x00", None), seconds=20) == ("a", 1, b"\x00", None)


def test_crash_names_its_signal(pool: ChildPool) -> None:
    failure = failure_of(pool, troubles.segfault)
    assert (failure.category, failure.message) == ("crash", "The reader crashed (signal SEGV).")


def test_exit_is_a_crash(pool: ChildPool) -> None:
    failure = failure_of(pool, troubles.leave, 3)
    assert failure.category == "crash"
    assert "exit code 3" in failure.message


@pytest.mark.parametrize("function", [troubles.hang, troubles.answer_half])
def test_hanging_is_cut_short(pool: ChildPool, function: Callable[[], None]) -> None:
    began = time.monotonic()
    failure = failure_of(pool, function, seconds=1)
    assert (failure.category, "1 seconds" in failure.message) == ("timeout", True)
    assert time.monotonic() - began < 5


def test_computing_too_long_is_a_timeout(pool: ChildPool) -> None:
    failure = failure_of(pool, troubles.compute_past_the_limit)
    assert (failure.category, "computing" in failure.message) == ("timeout", True)


def test_hoarding_is_out_of_memory_and_its_child_is_replaced(pool: ChildPool) -> None:
    before = pool.call(troubles.process_id, seconds=20)
    assert failure_of(pool, troubles.hoard).category == "out_of_memory"
    assert pool.call(troubles.process_id, seconds=20) != before


def test_what_others_left_in_a_child_costs_no_document_its_memory(pool: ChildPool) -> None:
    most = pool._limits.child_memory_bytes
    before = pool.call(troubles.keep, most * 6 // 10, seconds=20)
    assert pool.call(troubles.keep, most * 6 // 10, seconds=20) != before


def test_what_libraries_say_in_words_is_out_of_memory_too(pool: ChildPool) -> None:
    failure = failure_of(pool, troubles.lack_room_in_words)
    assert (failure.category, failure.message) == (
        "out_of_memory",
        "Reading the file took more memory than allowed.",
    )


def test_a_kill_by_the_system_is_out_of_memory(pool: ChildPool) -> None:
    assert failure_of(pool, troubles.die_by, int(signal.SIGKILL)).category == "out_of_memory"


def test_an_unexpected_error_is_internal_and_keeps_its_child(pool: ChildPool) -> None:
    before = pool.call(troubles.process_id, seconds=20)
    failure = failure_of(pool, troubles.raise_type_error)
    assert (failure.category, failure.message) == ("internal", "TypeError: not like this")
    assert pool.call(troubles.process_id, seconds=20) == before


def test_its_traceback_is_logged(pool: ChildPool, caplog: pytest.LogCaptureFixture) -> None:
    failure_of(pool, troubles.raise_type_error)
    facts = [vars(record)["facts"] for record in caplog.records if record.msg == "child_error"]
    assert "in raise_type_error" in facts[0]["traceback"]


def test_failures_come_back_as_they_are(pool: ChildPool) -> None:
    rejected, postponed = failure_of(pool, troubles.reject), failure_of(pool, troubles.retry)
    assert (type(rejected), rejected.category, rejected.message) == (
        Reject,
        "corrupt",
        "The file is damaged.",
    )
    assert (type(postponed), postponed.category) == (Retry, "network")


def test_what_cannot_cross_is_internal(pool: ChildPool) -> None:
    assert failure_of(pool, troubles.unpicklable).category == "internal"


def test_an_answer_cannot_run_code_here(pool: ChildPool) -> None:
    failure = failure_of(pool, troubles.foreign)
    assert (failure.category, "may not send" in failure.message) == ("internal", True)


def test_an_answer_has_a_longest_length(pool: ChildPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LONGEST_REPLY", 1000)
    assert failure_of(pool, troubles.many_bytes, 2000).category == "internal"
    assert failure_of(pool, troubles.promise_too_much).category == "internal"


def test_an_answer_too_large_for_the_child_is_out_of_memory(pool: ChildPool) -> None:
    assert failure_of(pool, troubles.many_bytes, 200 * 1024 * 1024).category == "out_of_memory"


def test_large_values_cross_both_ways(pool: ChildPool) -> None:
    large = bytes(range(256)) * 100_000
    assert pool.call(troubles.echo, large, seconds=20) == large


def test_a_function_without_a_name_is_refused_here(pool: ChildPool) -> None:
    with pytest.raises(ValueError, match="cannot import"):
        pool.call(lambda: None, seconds=1)


def test_a_child_tells_how_far_it_has_come(pool: ChildPool) -> None:
    heard: list[tuple[int, int]] = []
    assert pool.call(troubles.read_slowly, 40, seconds=30, on_page=lambda *at: heard.append(at)) == 40
    assert heard == sorted(heard)
    assert {pages for _, pages in heard} == {40}
    assert pool.call(troubles.read_slowly, 40, seconds=30) == 40  # and nobody has to listen
