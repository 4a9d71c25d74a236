"""How far `docyard process` has come: by file, page and stage on a terminal, else one line per file."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from docyard.cli.output import plain
from docyard.pipeline.direct import Watcher

_LONGEST_NAME = 40


class Board:
    """All files of one run: a bar for the whole and one for each that is being read."""

    def __init__(self, files: int) -> None:
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._shown = sys.stderr.isatty()
        self._all = self.progress.add_task("files", total=files)
        self._files = files
        self._ended = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Board:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    @contextmanager
    def file(self, path: Path) -> Iterator[OneFile]:
        """A file while it is being read."""
        name = plain(path.name[:_LONGEST_NAME])
        task = self.progress.add_task(name, total=None)
        try:
            yield OneFile(self, task, name)
        finally:
            self.progress.remove_task(task)
            self.progress.advance(self._all)

    def say(self, name: str, outcome: str, seconds: float) -> None:
        """One line for a file that has ended, where no bars are shown."""
        with self._lock:
            self._ended += 1
            if not self._shown:
                line = f"{self._ended} of {self._files}, {name}: {plain(outcome)} ({seconds:.1f} s)"
                click.echo(line, err=True)


class OneFile(Watcher):
    """One file's bar: its stage and, while it is read, its pages."""

    def __init__(self, board: Board, task: TaskID, name: str) -> None:
        self._board = board
        self._task = task
        self._name = name

    def stage(self, name: str) -> None:
        """A stage begins; how many pages it has to do is not known yet."""
        self._board.progress.update(self._task, description=f"{self._name} {name}", total=None, completed=0)

    def page(self, page: int, pages: int) -> None:
        """So many pages of it are read."""
        self._board.progress.update(self._task, total=pages, completed=page)

    def end(self, outcome: str, seconds: float) -> None:
        """The file has ended."""
        self._board.say(self._name, outcome, seconds)
