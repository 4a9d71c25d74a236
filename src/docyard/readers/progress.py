"""Progress reports of readers, page by page, to a listener in this process."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[int, int], None]


def _ignore(_page: int, _pages: int) -> None:
    return


_listener: Listener = _ignore


def set_listener(listener: Listener | None) -> None:
    """Send reports to this listener from now on; None stops them."""
    global _listener  # noqa: PLW0603 - readers are plain functions; a child runs one at a time
    _listener = listener or _ignore


def report_page(page: int, pages: int) -> None:
    """Report that `page` of `pages` pages have been read."""
    _listener(page, pages)
