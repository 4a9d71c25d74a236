"""Failures of children: each gets a category and a reason, and the pool stays usable."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from docyard.errors import Failure, Reject, Retry
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool, protocol
from tests.builders import child_functions


def call_and_fail(pool: ChildPool, function: Callable[..., object], *args: object, seconds: float = 20) -> Failure:
    with pytest.raises(Failure) as caught:
        pool.call(function, *args, seconds=seconds)
    assert pool.call(child_functions.echo, "still here", seconds=20) == "still here"
    return caught.value


def test_returns_the_value(pool: ChildPool) -> None:
    assert pool.call(child_functions.echo, ("a", 1, b"\x00", None), seconds=20) == ("a", 1, b"\x00", None)


def test_names_the_signal_of_a_crash(pool: ChildPool) -> None:
    failure = call_and_fail(pool, child_functions.segfault)
    assert (failure.category, failure.message) == ("crash", "The reader process crashed (signal SEGV).")


def test_an_exit_is_a_crash(pool: ChildPool) -> None:
    failure = call_and_fail(pool, child_functions.exit_process, 3)
    assert failure.category == "crash"
    assert "exit code 3" in failure.message


@pytest.mark.parametrize("function", [child_functions.hang, child_functions.send_partial_reply])
def test_aborts_a_hanging_child(pool: ChildPool, function: Callable[[], None]) -> None:
    started = time.monotonic()
    failure = call_and_fail(pool, function, seconds=1)
    assert (failure.category, "1 seconds" in failure.message) == ("timeout", True)
    assert time.monotonic() - started < 5


def test_exceeding_the_cpu_limit_is_a_timeout(pool: ChildPool) -> None:
    failure = call_and_fail(pool, child_functions.exceed_cpu_limit)
    assert (failure.category, "CPU time" in failure.message) == ("timeout", True)


def test_replaces_a_child_that_ran_out_of_memory(pool: ChildPool) -> None:
    before = pool.call(child_functions.get_process_id, seconds=20)
    assert call_and_fail(pool, child_functions.exhaust_memory).category == "out_of_memory"
    assert pool.call(child_functions.get_process_id, seconds=20) != before


def test_a_child_without_memory_for_a_reply_is_out_of_memory(pool: ChildPool) -> None:
    assert call_and_fail(pool, child_functions.exit_process, protocol.OUT_OF_MEMORY).category == "out_of_memory"


def test_memory_left_over_from_other_calls_does_not_count(pool: ChildPool) -> None:
    limit = pool._limits.child_memory_bytes
    before = pool.call(child_functions.leak_memory, limit * 6 // 10, seconds=20)
    assert pool.call(child_functions.leak_memory, limit * 6 // 10, seconds=20) != before


def test_recognises_allocation_errors_of_libraries(pool: ChildPool) -> None:
    failure = call_and_fail(pool, child_functions.raise_allocation_error)
    assert (failure.category, failure.message) == ("out_of_memory", "Reading the file took more memory than allowed.")


def test_a_sigkill_is_out_of_memory(pool: ChildPool) -> None:
    assert call_and_fail(pool, child_functions.send_signal, int(signal.SIGKILL)).category == "out_of_memory"


def test_a_failed_allocation_that_a_reader_took_for_damage_is_out_of_memory(pool: ChildPool) -> None:
    assert call_and_fail(pool, child_functions.hide_allocation_error).category == "out_of_memory"


@pytest.mark.parametrize(
    "message",
    [
        "terminate called after throwing an instance of 'std::bad_alloc'\n",
        "memory allocation of 134217728 bytes failed\n",
        "",  # pdfium
    ],
)
def test_an_abort_for_lack_of_memory_is_out_of_memory(pool: ChildPool, message: str) -> None:
    assert call_and_fail(pool, child_functions.abort_after_printing, message).category == "out_of_memory"


def test_an_error_whose_cause_was_printed_is_out_of_memory(pool: ChildPool) -> None:
    message = "ImportError: libgfortran.so.5.0.0: failed to map segment from shared object\n"
    assert call_and_fail(pool, child_functions.raise_after_printing, message).category == "out_of_memory"
    other = call_and_fail(pool, child_functions.raise_after_printing, "a warning\n")
    assert (other.category, other.message) == ("internal", "ImportError: import numpy failed")


def test_an_abort_for_another_reason_is_a_crash(pool: ChildPool) -> None:
    failure = call_and_fail(pool, child_functions.abort_after_printing, "double free or corruption (out)\n")
    assert (failure.category, failure.message) == ("crash", "The reader process crashed (signal ABRT).")


def test_the_message_of_an_earlier_call_does_not_explain_a_crash(limits: Limits) -> None:
    with ChildPool(1, limits) as pool:
        pool.call(child_functions.print_message, "out of memory", seconds=20)
        assert call_and_fail(pool, child_functions.segfault).category == "crash"


@pytest.mark.parametrize("failure", ["error", "crash", "abort"])
def test_a_failure_that_earlier_calls_caused_does_not_count(limits: Limits, failure: str) -> None:
    with ChildPool(1, limits) as pool:
        before = pool.call(child_functions.fail_in_used_child, failure, seconds=20)
        assert pool.call(child_functions.fail_in_used_child, failure, seconds=20) != before


def test_an_unexpected_error_is_internal_and_ends_the_child(pool: ChildPool) -> None:
    before = pool.call(child_functions.get_process_id, seconds=20)
    failure = call_and_fail(pool, child_functions.raise_type_error)
    assert (failure.category, failure.message) == ("internal", "TypeError: not like this")
    assert pool.call(child_functions.get_process_id, seconds=20) != before


def test_logs_the_traceback_of_an_unexpected_error(pool: ChildPool, caplog: pytest.LogCaptureFixture) -> None:
    call_and_fail(pool, child_functions.raise_type_error)
    facts = [vars(record)["details"] for record in caplog.records if record.msg == "child_error"]
    assert "in raise_type_error" in facts[0]["traceback"]


def test_passes_failures_through(pool: ChildPool) -> None:
    rejected, retried = (call_and_fail(pool, child_functions.reject), call_and_fail(pool, child_functions.retry))
    assert (type(rejected), rejected.category, rejected.message) == (Reject, "corrupt", "The file is damaged.")
    assert (type(retried), retried.category) == (Retry, "network")


def test_a_value_that_cannot_be_pickled_is_internal(pool: ChildPool) -> None:
    assert call_and_fail(pool, child_functions.return_unpicklable).category == "internal"


def test_a_reply_cannot_run_code_in_the_parent(pool: ChildPool) -> None:
    failure = call_and_fail(pool, child_functions.return_code_runner)
    assert (failure.category, "must not contain" in failure.message) == ("internal", True)


def test_limits_the_length_of_a_reply(pool: ChildPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_REPLY_BYTES", 1000)
    assert call_and_fail(pool, child_functions.return_bytes, 2000).category == "internal"
    assert call_and_fail(pool, child_functions.announce_huge_reply).category == "internal"


def test_a_reply_too_large_for_the_child_is_out_of_memory(pool: ChildPool) -> None:
    assert call_and_fail(pool, child_functions.return_bytes, 200 * 1024 * 1024).category == "out_of_memory"


def test_passes_large_values_both_ways(pool: ChildPool) -> None:
    large = bytes(range(256)) * 100_000
    assert pool.call(child_functions.echo, large, seconds=20) == large


def test_refuses_a_function_without_a_name(pool: ChildPool) -> None:
    with pytest.raises(ValueError, match="cannot import"):
        pool.call(lambda: None, seconds=1)


def test_reports_progress_by_page(pool: ChildPool) -> None:
    reported: list[tuple[int, int]] = []
    assert pool.call(child_functions.read_slowly, 40, seconds=30, on_page=lambda *at: reported.append(at)) == 40
    assert reported == sorted(reported)
    assert {pages for _, pages in reported} == {40}
    assert pool.call(child_functions.read_slowly, 40, seconds=30) == 40  # on_page is optional
