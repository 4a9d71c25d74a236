"""A fixed number of children, shared by any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar, cast

from docyard.errors import Retry
from docyard.model.limits import Limits
from docyard.pipeline.children import endings, wire
from docyard.pipeline.children.process import Child
from docyard.pipeline.children.starter import Starter

T = TypeVar("T")
OnPage = Callable[[int, int], None]
_CLOSE_SECONDS = 20.0


class _Work:
    """One call: for whom, on which child, and whether someone gave it up meanwhile."""

    def __init__(self, key: object, on_page: OnPage | None) -> None:
        self.key = key
        self.on_page = on_page
        self.child: Child | None = None
        self.given_up = False


class ChildPool:
    """Runs functions in confined children: what crashes, hangs or hoards there fails alone."""

    def __init__(self, size: int, limits: Limits) -> None:
        self._size = size
        self._limits = limits
        self._starter = Starter(limits)
        self._changed = threading.Condition()  # guards everything below
        self._idle: list[Child] = []
        self._works: set[_Work] = set()
        self._running = 0
        self._closed = False

    def __enter__(self) -> ChildPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(
        self,
        function: Callable[..., T],
        *args: Any,
        seconds: float,
        key: object = None,
        on_page: OnPage | None = None,
    ) -> T:
        """The function's result, computed in a child; a Failure when it fails there in any way.

        The seconds count from when a child takes the work on; waiting for a free child is not limited.
        """
        question = wire.request(function, args, seconds)
        work = _Work(key, on_page)
        with self._place(work):
            answer = self._ask(work, question, seconds)
        return cast("T", answer)

    def abort(self, key: object) -> None:
        """Give up all work called with this key: its callers get Retry('worker_lost')."""
        with self._changed:
            self._give_up([work for work in self._works if work.key is not None and work.key == key])

    def close(self) -> None:
        """End every child and wait until all are gone; calls still under way get Retry('worker_lost')."""
        with self._changed:
            self._closed = True
            self._give_up(list(self._works))
            idle, self._idle = self._idle, []
            for child in idle:
                _end(child)
            self._changed.wait_for(lambda: self._running == 0, _CLOSE_SECONDS)
        self._starter.close()

    @contextmanager
    def _place(self, work: _Work) -> Iterator[None]:
        """Wait for one of the places, and free it afterwards."""
        with self._changed:
            self._works.add(work)
            try:
                self._changed.wait_for(lambda: work.given_up or self._closed or self._running < self._size)
                self._check(work)
            except BaseException:
                self._works.discard(work)
                raise
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._works.discard(work)
                self._running -= 1
                self._changed.notify_all()

    def _ask(self, work: _Work, question: bytes, seconds: float) -> object:
        child = self._child(work)
        used = child.calls > 0
        kind, value = self._answer(work, child, question, seconds)
        if kind == "memory" and used:
            # The models and leftovers of other work were counted against this one.
            kind, value = self._answer(work, self._new_child(work), question, seconds)
        if kind != "value":
            raise endings.reported(kind, value)
        return value

    def _answer(self, work: _Work, child: Child, question: bytes, seconds: float) -> tuple[str, object]:
        try:
            kind, value = wire.read_reply(child.ask(question, seconds))
            while kind == "page":
                _tell(work, value)
                kind, value = wire.read_reply(child.hear_more())
        except (EOFError, TimeoutError, wire.TooLong, ValueError) as error:
            raise self._lost(work, child, error, seconds) from None
        except BaseException:
            _end(child)  # the caller was interrupted, and nobody would read the answer
            raise
        self._put_back(work, child, kind)
        return kind, value

    def _child(self, work: _Work) -> Child:
        """A child that is ready, and that others can kill by the work's key."""
        with self._changed:
            while self._idle:
                child = self._idle.pop()
                if child.alive:
                    work.child = child
                    return child
                child.bury()
        return self._new_child(work)

    def _new_child(self, work: _Work) -> Child:
        child = self._starter.start()
        with self._changed:
            work.child = child
            if work.given_up:
                child.kill()
        try:
            child.wait_until_ready()
        except (EOFError, TimeoutError, wire.TooLong):
            code = _end(child)
            raise endings.given_up() if work.given_up else endings.not_started(code) from None
        return child

    def _put_back(self, work: _Work, child: Child, kind: str) -> None:
        """Keep the child for the next call unless it is spent; a call given up meanwhile is lost anyway."""
        with self._changed:
            work.child = None
            spent = child.calls >= self._limits.child_documents or kind == "memory"
            keep = not (spent or work.given_up or self._closed)
            if keep:
                self._idle.append(child)
        if not keep:
            _end(child)
        self._check(work)

    def _lost(self, work: _Work, child: Child, error: Exception, seconds: float) -> Retry:
        """What became of a child that gave no proper answer; it is gone afterwards."""
        code = child.bury() if isinstance(error, EOFError) else _end(child)
        with self._changed:
            work.child = None
        if work.given_up:
            return endings.given_up()
        if isinstance(error, TimeoutError):
            return endings.timed_out(seconds)
        if isinstance(error, EOFError):
            return endings.died(code, seconds)
        return endings.unusable(str(error) or "it is too long.")

    def _check(self, work: _Work) -> None:
        if work.given_up or self._closed:
            raise endings.given_up()

    def _give_up(self, works: list[_Work]) -> None:
        for work in works:
            work.given_up = True
            if work.child:
                work.child.kill()
        self._changed.notify_all()


def _tell(work: _Work, value: object) -> None:
    match value:
        case (int() as page, int() as pages) if work.on_page is not None:
            work.on_page(page, pages)


def _end(child: Child) -> int | None:
    child.kill()
    return child.bury()
