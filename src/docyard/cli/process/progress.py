"""Progress of `docyard process`: bars on a terminal, otherwise one line per finished file."""

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

from docyard.cli.output import strip_control_characters
from docyard.pipeline.direct import ProgressListener

_MAX_NAME_LENGTH = 40


class ProgressDisplay:
    """The progress of all files: one bar for the total and one for each file that is being read."""

    def __init__(self, files: int) -> None:
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._is_terminal = sys.stderr.isatty()
        self._total = self.progress.add_task("files", total=files)
        self._files = files
        self._finished = 0
        self._lock = threading.Lock()

    def __enter__(self) -> ProgressDisplay:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    @contextmanager
    def file(self, path: Path) -> Iterator[FileProgress]:
        """Show a bar for a file until the context ends."""
        name = strip_control_characters(path.name[:_MAX_NAME_LENGTH])
        task = self.progress.add_task(name, total=None)
        try:
            yield FileProgress(self, task, name)
        finally:
            self.progress.remove_task(task)
            self.progress.advance(self._total)

    def report(self, name: str, outcome: str, seconds: float) -> None:
        """Count a finished file, and print a line for it if there is no terminal."""
        with self._lock:
            self._finished += 1
            if not self._is_terminal:
                outcome = strip_control_characters(outcome)
                click.echo(f"{self._finished} of {self._files}, {name}: {outcome} ({seconds:.1f} s)", err=True)


class FileProgress(ProgressListener):
    """The bar of one file: its current stage and the pages read."""

    def __init__(self, board: ProgressDisplay, task: TaskID, name: str) -> None:
        self._board = board
        self._task = task
        self._name = name

    def stage(self, name: str) -> None:
        """Show the name of a new stage and reset the bar, because the number of pages is not known yet."""
        self._board.progress.update(self._task, description=f"{self._name} {name}", total=None, completed=0)

    def page(self, page: int, pages: int) -> None:
        """Show how many pages have been read."""
        self._board.progress.update(self._task, total=pages, completed=page)

    def end(self, outcome: str, seconds: float) -> None:
        """Report the outcome of the finished file."""
        self._board.report(self._name, outcome, seconds)
