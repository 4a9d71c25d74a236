"""Named queries: one .sql file beside the module that owns the tables, one name and purpose each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

_NAME = re.compile(rb"^-- name: (\w+)\n-- (.+)\n", re.MULTILINE)


class Queries(Mapping[str, bytes]):
    """The queries of one .sql file by name; an unknown name fails when the module is imported and tested."""

    def __init__(self, package: str, file: str) -> None:
        parts = _NAME.split(files(package).joinpath(file).read_bytes())
        # split gives: preamble, then name, purpose and text of each query in turn
        self._texts = {parts[i].decode(): parts[i + 2].strip() for i in range(1, len(parts), 3)}

    def __getitem__(self, name: str) -> bytes:
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
