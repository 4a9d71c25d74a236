"""A check that a blob can be read: a store that fails is not a file that is damaged or refused."""

from __future__ import annotations

from pathlib import Path

from docyard import clock
from docyard.errors import StoreUnavailable

_CHANCES = 3  # failures of one file, between which others were read, until the file is to blame
_MAX_KEYS = 1000


class ReadCheck:
    """The files that this process could not read, and when it last could read one."""

    def __init__(self) -> None:
        self._read_at = float("-inf")
        self._failures: dict[str, tuple[int, float]] = {}  # by key: their number and the time of the last one

    def check(self, key: str, path: Path) -> None:
        """Raise StoreUnavailable if the file cannot be read, unless only this file is to blame."""
        try:
            with path.open("rb") as file:
                file.read(1)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return
        except OSError as error:
            if self._count_failure(key) < _CHANCES:
                words = f"The file store is not available: a file cannot be read ({error.strerror or error})."
                raise StoreUnavailable(words) from error
            return
        self._failures.pop(key, None)
        self._read_at = clock.monotonic()

    def _count_failure(self, key: str) -> int:
        """Count the failure if another file was read since the previous one, and return the number of failures."""
        count, failed_at = self._failures.get(key, (0, float("-inf")))
        count += count == 0 or self._read_at > failed_at
        if len(self._failures) >= _MAX_KEYS:
            self._failures.clear()
        self._failures[key] = (count, clock.monotonic())
        return count
