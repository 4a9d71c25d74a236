"""Telling how far a reader has come, page by page, to whoever listens in this process."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[int, int], None]


def _nobody(_page: int, _pages: int) -> None:
    return


_listener: Listener = _nobody


def listen(listener: Listener | None) -> None:
    """Tell this listener from now on, or nobody."""
    global _listener  # noqa: PLW0603 - readers are plain functions; a child runs one at a time
    _listener = listener or _nobody


def report(page: int, pages: int) -> None:
    """So many pages of so many are read."""
    _listener(page, pages)
