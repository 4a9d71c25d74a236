"""Failed allocations: libraries report them in many ways, most of which look like a damaged file."""

from __future__ import annotations

import errno
import re
import resource
from collections.abc import Iterator
from pathlib import Path

# Messages of Python, the dynamic loader, Pillow, zlib, expat, libheif, onnxruntime, OpenCV, C++ and Rust.
_MESSAGE = re.compile(
    r"MemoryError|bad_alloc|failed to allocate|insufficient memory|out of memory|cannot allocate memory"
    r"|memory allocation|failed to map segment|error -4 while",
    re.IGNORECASE,
)


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether the error, or an error that led to it, is a failed allocation."""
    return any(_is_failed_allocation(each) for each in _iterate_chain(error))


def raise_if_out_of_memory(error: BaseException) -> None:
    """Raise MemoryError if the error is a failed allocation, so that it is not taken for damage."""
    if is_out_of_memory(error):
        raise MemoryError from error


def says_out_of_memory(message: str) -> bool:
    """Return whether a message of a library or a runtime reports a failed allocation."""
    return _MESSAGE.search(message) is not None


def require_memory(needed: int) -> None:
    """Raise MemoryError unless this many bytes can be allocated within the limit of this process."""
    free = _read_free_bytes()
    if free is not None and needed > free:
        raise MemoryError(f"{needed:,} bytes are needed, {free:,} are left.")


def _is_failed_allocation(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, Exception) and says_out_of_memory(str(error))


def _iterate_chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        yield following
        following = following.__cause__ or following.__context__


def _read_free_bytes() -> int | None:
    """Return the address space that is left, or None if it is not limited or cannot be measured."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return None
    return max(limit - used, 0)
