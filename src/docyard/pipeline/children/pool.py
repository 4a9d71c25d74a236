"""A pool with a maximum number of child processes, shared by any number of threads."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar, cast

from docyard.errors import Retry
from docyard.model.limits import Limits
from docyard.pipeline.children import child_failures, protocol
from docyard.pipeline.children.process import Child
from docyard.pipeline.children.starter import Starter
from docyard.readers.memory import says_out_of_memory

T = TypeVar("T")
OnPage = Callable[[int, int], None]
_UNRELIABLE_REPLIES = ("memory", "error", "exit")  # of a child that has read other files before
_LIMIT_SIGNALS = (-signal.SIGXCPU, -signal.SIGKILL)  # limits of the call and of the system, not of the child
_CLOSE_SECONDS = 20.0  # how long `close` waits for running calls to end


class _Call:
    """A call in progress: its key, the child that runs it, and whether it was aborted."""

    def __init__(self, key: object, on_page: OnPage | None) -> None:
        self.key = key
        self.on_page = on_page
        self.child: Child | None = None
        self.aborted = False


class ChildPool:
    """A pool of confined children that run functions; if a child crashes or hangs, only its call fails."""

    def __init__(self, size: int, limits: Limits) -> None:
        self._size = size
        self._limits = limits
        self._starter = Starter(limits)
        self._changed = threading.Condition()  # guards everything below
        self._idle: list[Child] = []
        self._calls: set[_Call] = set()
        self._running = 0
        self._closed = False

    def __enter__(self) -> ChildPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(
        self, function: Callable[..., T], *args: Any, seconds: float, key: object = None, on_page: OnPage | None = None
    ) -> T:
        """Run the function in a child and return its result; raise a Failure if that fails in any way.

        The time limit starts when a child takes the call; waiting for a free child is not limited. `on_page`
        receives the number of the current page and the number of pages.
        """
        request = protocol.encode_request(function, args, seconds)
        call = _Call(key, on_page)
        with self._acquire_slot(call):
            answer = self._run(call, request, seconds)
        return cast("T", answer)

    def abort(self, key: object) -> None:
        """Abort all calls with this key, which then raise Retry('worker_lost')."""
        with self._changed:
            self._abort_calls([call for call in self._calls if call.key is not None and call.key == key])

    def close(self) -> None:
        """End every child, so that all calls raise Retry('worker_lost'); wait at most 20 seconds for them."""
        with self._changed:
            self._closed = True
            self._abort_calls(list(self._calls))
            idle, self._idle = self._idle, []
            for child in idle:
                _end(child)
            self._changed.wait_for(lambda: self._running == 0, _CLOSE_SECONDS)
        self._starter.close()

    @contextmanager
    def _acquire_slot(self, call: _Call) -> Iterator[None]:
        """Wait for one of the `size` slots, and free it afterwards."""
        with self._changed:
            self._calls.add(call)
            try:
                self._changed.wait_for(lambda: call.aborted or self._closed or self._running < self._size)
                self._raise_if_aborted(call)
            except BaseException:
                self._calls.discard(call)
                raise
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._calls.discard(call)
                self._running -= 1
                self._changed.notify_all()

    def _run(self, call: _Call, request: bytes, seconds: float) -> object:
        child = self._take_child(call)
        used = child.calls > 0
        kind, value = self._get_reply(call, child, request, seconds)
        if kind in _UNRELIABLE_REPLIES and used:
            # Earlier calls may be the cause: the memory that they left, or the state of a library. Only the
            # result of a new child is independent of them.
            kind, value = self._get_reply(call, self._start_child(call), request, seconds)
        if kind != "value":
            raise child_failures.read_failure(kind, value)
        return value

    def _get_reply(self, call: _Call, child: Child, request: bytes, seconds: float) -> tuple[str, object]:
        try:
            kind, value = protocol.decode_reply(child.send_request(request, seconds))
            while kind == "page":
                _report_page(call, value)
                kind, value = protocol.decode_reply(child.receive_reply())
            if kind == "error" and says_out_of_memory(child.read_stderr()):
                # Extension modules print the cause of a failed import and raise an error without it.
                kind, value = "memory", None
        except EOFError:
            return self._explain_exit(call, child, seconds)
        except (TimeoutError, protocol.ReplyTooLong, ValueError) as error:
            raise self._explain_loss(call, child, error, seconds) from None
        except BaseException:
            _end(child)  # the caller was interrupted, and the next caller must not get this reply
            raise
        self._put_back(call, child, kind)
        return kind, value

    def _take_child(self, call: _Call) -> Child:
        """Return an idle child, or start one; register it, so that `abort` can kill it."""
        with self._changed:
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    call.child = child
                    return child
                child.reap()
        return self._start_child(call)

    def _start_child(self, call: _Call) -> Child:
        child = self._starter.start()
        with self._changed:
            call.child = child
            if call.aborted:
                child.kill()
        try:
            child.wait_until_ready()
        except (EOFError, TimeoutError, protocol.ReplyTooLong):
            code = _end(child)
            raise (child_failures.aborted_failure() if call.aborted else child_failures.start_failure(code)) from None
        return child

    def _put_back(self, call: _Call, child: Child, kind: str) -> None:
        """Keep the child unless it is used up; raise if the call was aborted or the pool was closed."""
        with self._changed:
            call.child = None
            used_up = child.calls >= self._limits.child_documents or kind in protocol.LAST_REPLIES
            keep = not (used_up or call.aborted or self._closed)
            if keep:
                self._idle.append(child)
        if not keep:
            _end(child)
        self._raise_if_aborted(call)

    def _explain_exit(self, call: _Call, child: Child, seconds: float) -> tuple[str, Retry]:
        """Return the kind and the failure for a child that ended during the call; raise if it was aborted."""
        printed = child.read_stderr()
        code = child.reap()
        self._forget_child(call)
        kind = "failure" if code in _LIMIT_SIGNALS else "exit"
        return kind, child_failures.exit_failure(code, seconds, printed)

    def _explain_loss(self, call: _Call, child: Child, error: Exception, seconds: float) -> Retry:
        """End a child that sent no valid reply, and return the failure to raise."""
        _end(child)
        self._forget_child(call)
        if isinstance(error, TimeoutError):
            return child_failures.timeout_failure(seconds)
        return child_failures.invalid_reply_failure(str(error) or "it is too long.")

    def _forget_child(self, call: _Call) -> None:
        with self._changed:
            call.child = None
        self._raise_if_aborted(call)

    def _raise_if_aborted(self, call: _Call) -> None:
        if call.aborted or self._closed:
            raise child_failures.aborted_failure()

    def _abort_calls(self, calls: list[_Call]) -> None:
        for call in calls:
            call.aborted = True
            if call.child:
                call.child.kill()
        self._changed.notify_all()


def _report_page(call: _Call, value: object) -> None:
    match value:
        case (int() as page, int() as pages) if call.on_page is not None:
            call.on_page(page, pages)


def _end(child: Child) -> int | None:
    child.kill()
    return child.reap()
