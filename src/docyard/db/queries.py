"""Named queries from .sql files; each query starts with a line for its name and one for its purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

_NAME = re.compile(rb"^-- name: (\w+)\n-- (.+)\n", re.MULTILINE)


class Queries(Mapping[str, bytes]):
    """The queries of one .sql file by name."""

    def __init__(self, package: str, file: str) -> None:
        parts = _NAME.split(files(package).joinpath(file).read_bytes())
        # `split` returns the preamble, then name, purpose and text of each query.
        self._texts = {parts[i].decode(): parts[i + 2].strip() for i in range(1, len(parts), 3)}

    def __getitem__(self, name: str) -> bytes:
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
