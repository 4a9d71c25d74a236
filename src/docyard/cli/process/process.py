"""`docyard process`: run files along the road now, without queue or database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from docyard.cli.files import files_below
from docyard.cli.installation import limits_of
from docyard.cli.options import json_option
from docyard.cli.output import plain, print_json, print_table
from docyard.cli.process.files import FORMATS, Target, facts_of, markdown_of, outcome_of, targets, write
from docyard.cli.process.progress import Board
from docyard.errors import BadInput
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Processed, process_file
from docyard.settings import Settings
from docyard.worker import WorkerOptions

_COLUMNS = ("file", "outcome", "title", "language", "page_count", "chunk_count")


@dataclass(frozen=True, slots=True)
class Result:
    """What is shown of one file at the end."""

    failed: bool
    facts: dict[str, object]
    markdown: str


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for one file of results per file read; subfolders are kept.",
)
@click.option("--format", "shape", type=click.Choice(list(FORMATS)), help="What to give: json or markdown.")
@json_option
@click.pass_obj
def process(
    settings: Settings, paths: tuple[Path, ...], output: Path | None, shape: str | None, as_json: bool
) -> None:
    """Process files now and show or write what was found; nothing is stored in Docyard.

    Exits with 1 when a file could not be read; the reason is shown with it.
    """
    if as_json:
        shape = "json"
    files = _files(paths, output)
    done = _process_all(settings, targets(paths, files, output, shape or ("markdown" if output else "")))
    _show(done, None if output else shape)
    if any(one.failed for one in done):
        raise SystemExit(1)


def _files(paths: tuple[Path, ...], output: Path | None) -> list[Path]:
    """What to read; never what an earlier run wrote."""
    if output is None:
        return list(files_below(paths))
    aside = output.resolve()
    if any(path.is_dir() and path.resolve() == aside for path in paths):
        raise BadInput("Results cannot be written into the folder that is read; name another with --output.")
    return [path for path in files_below(paths) if aside not in path.resolve().parents]


def _process_all(settings: Settings, wanted: list[Target]) -> list[Result]:
    limits, slots = limits_of(settings), WorkerOptions(slots=settings.slots).slot_count
    with Board(len(wanted)) as board, ChildPool(slots, limits) as children:
        threads = ThreadPoolExecutor(slots)
        try:
            return list(threads.map(lambda target: _process_one(children, limits, board, target), wanted))
        finally:
            # After Ctrl-C: what waits is dropped, what runs is given up, and nobody waits for it.
            threads.shutdown(wait=False, cancel_futures=True)


def _process_one(children: ChildPool, limits: Limits, board: Board, target: Target) -> Result:
    """What one file came to; its pages are not kept once they are written."""
    with board.file(target.path) as watcher:
        done = process_file(children, limits, target.path, watcher)
        trouble = _written(done, target)
        outcome = f"failed: {trouble}" if trouble else outcome_of(done)
        watcher.end(outcome, sum(seconds for _, seconds in done.seconds))
    shown = target.shape if target.result is None else None
    facts = facts_of(done, with_pages=shown == "json") | {"outcome": outcome}
    return Result(done.failed or bool(trouble), facts, markdown_of(done) if shown == "markdown" else "")


def _written(done: Processed, target: Target) -> str | None:
    """Write the result where there is a place for it; gives the reason where that fails."""
    given_up = done.failure is not None and done.failure.category == "worker_lost"
    if target.result is None or given_up:  # after Ctrl-C nothing is known about the file
        return None
    try:
        write(done, target)
    except OSError as error:  # a full disk, a folder of others: the next file may have a better place
        return f"Its result could not be written: {error.strerror or error}."
    return None


def _show(done: list[Result], shape: str | None) -> None:
    if shape == "json":
        print_json([one.facts for one in done])
    elif shape == "markdown":
        for one in done:
            click.echo(f"<!-- {plain(str(one.facts['file']))} -->\n\n{one.markdown}".encode(errors="replace"))
    else:
        lines = [[one.facts.get(column) for column in _COLUMNS] for one in done]
        print_table([name.replace("_", " ").capitalize() for name in _COLUMNS], lines, "No files.")
