"""`docyard process`: run all stages on files now, without queue or database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from docyard.cli.files import find_files
from docyard.cli.installation import make_limits
from docyard.cli.options import json_option
from docyard.cli.output import print_json, print_table, strip_control_characters
from docyard.cli.process.progress import ProgressDisplay
from docyard.cli.process.result_files import (
    FORMATS,
    Target,
    describe_outcome,
    format_markdown,
    make_facts,
    make_targets,
    write_result,
)
from docyard.errors import BadInput
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import FileResult, process_file
from docyard.settings import Settings
from docyard.worker import WorkerOptions

_COLUMNS = ("file", "outcome", "title", "language", "page_count", "chunk_count")


@dataclass(frozen=True, slots=True)
class Result:
    """The printed result of one file."""

    failed: bool
    facts: dict[str, object]
    markdown: str


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results: one file per input file, in the same subfolders (default: print them).",
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(list(FORMATS)),
    help="Format of the results (default: markdown with --output, else a table).",
)
@json_option
@click.pass_obj
def process(settings: Settings, paths: tuple[Path, ...], output: Path | None, shape: str | None, as_json: bool) -> None:
    """Process files and print or write the results.

    PATHS are files or folders. All files below a folder are read, except links and hidden files and folders.
    Nothing is stored in Docyard. The exit code is 1 if a file could not be read or its result could not be
    written; its outcome shows the reason.
    """
    if as_json:
        shape = "json"
    files = _find_files(paths, output)
    done = _process_all(settings, make_targets(paths, files, output, shape or ("markdown" if output else "")))
    _print_results(done, None if output else shape)
    if any(one.failed for one in done):
        raise SystemExit(1)


def _find_files(paths: tuple[Path, ...], output: Path | None) -> list[Path]:
    """Return the files to read, without those in the output folder, which an earlier run wrote."""
    if output is None:
        return list(find_files(paths))
    results = output.resolve()
    if any(path.is_dir() and path.resolve() == results for path in paths):
        raise BadInput("Results cannot be written to a folder that is being read. Choose another folder with --output.")
    return [path for path in find_files(paths) if results not in path.resolve().parents]


def _process_all(settings: Settings, wanted: list[Target]) -> list[Result]:
    limits, slots = make_limits(settings), WorkerOptions(slots=settings.slots).slot_count
    with ProgressDisplay(len(wanted)) as board, ChildPool(slots, limits) as children:
        threads = ThreadPoolExecutor(slots)
        try:
            return list(threads.map(lambda target: _process_one(children, limits, board, target), wanted))
        finally:
            # After Ctrl-C, waiting files are not processed, and those in progress are not awaited.
            threads.shutdown(wait=False, cancel_futures=True)


def _process_one(children: ChildPool, limits: Limits, board: ProgressDisplay, target: Target) -> Result:
    """Process one file and write its result file, if any; pages are kept only if they will be printed."""
    with board.file(target.path) as watcher:
        done = process_file(children, limits, target.path, watcher)
        error = _write_result(done, target)
        outcome = f"failed: {error}" if error else describe_outcome(done)
        watcher.end(outcome, sum(seconds for _, seconds in done.seconds))
    printed = target.format if target.result is None else None
    facts = make_facts(done, with_pages=printed == "json") | {"outcome": outcome}
    return Result(done.failed or bool(error), facts, format_markdown(done) if printed == "markdown" else "")


def _write_result(done: FileResult, target: Target) -> str | None:
    """Write the result to its file, if it has one; return an error message if that fails."""
    interrupted = done.failure is not None and done.failure.category == "worker_lost"
    if target.result is None or interrupted:  # interrupted by Ctrl-C, so the result is incomplete
        return None
    try:
        write_result(done, target)
    except OSError as error:  # other files may still be writable, for instance in another folder
        return f"The result could not be written: {error.strerror or error}."
    return None


def _print_results(done: list[Result], shape: str | None) -> None:
    if shape == "json":
        print_json([one.facts for one in done])
    elif shape == "markdown":
        for one in done:
            click.echo(
                f"<!-- {strip_control_characters(str(one.facts['file']))} -->\n\n{one.markdown}".encode(
                    errors="replace"
                )
            )
    else:
        rows = [[one.facts.get(column) for column in _COLUMNS] for one in done]
        print_table([name.replace("_", " ").capitalize() for name in _COLUMNS], rows, "No files found.")
