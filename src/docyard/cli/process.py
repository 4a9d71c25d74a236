"""`docyard process`: run files along the road now, without queue or database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from docyard.cli.choices import json_option
from docyard.cli.files import files_below
from docyard.cli.opening import limits_of
from docyard.cli.output import plain, print_json, print_table
from docyard.model.values import Chunked, Classified, Extracted, Fetched
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Processed, process_file
from docyard.settings import Settings
from docyard.worker import WorkerOptions

_COLUMNS = ("file", "outcome", "title", "language", "page_count", "chunk_count")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@json_option
@click.pass_obj
def process(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> None:
    """Process files now and show what was found; nothing is stored."""
    facts = _process_all(settings, list(files_below(paths)), with_pages=as_json)
    if as_json:
        print_json(facts)
    else:
        lines = [[one.get(column) for column in _COLUMNS] for one in facts]
        print_table([name.replace("_", " ").capitalize() for name in _COLUMNS], lines, "No files.")
    if any(str(one["outcome"]).startswith("failed") for one in facts):
        raise SystemExit(1)


def _process_all(settings: Settings, files: list[Path], *, with_pages: bool) -> list[dict[str, object]]:
    limits, slots = limits_of(settings), WorkerOptions(slots=settings.slots).slot_count
    with _progress() as progress, ChildPool(slots, limits) as children:
        bar = progress.add_task("", total=len(files))

        def one(path: Path) -> dict[str, object]:
            name = plain(path.name[:40])
            done = process_file(
                children, limits, path, lambda stage: progress.update(bar, description=f"{name} {stage}")
            )
            progress.advance(bar)
            return _facts(done, with_pages=with_pages)

        threads = ThreadPoolExecutor(slots)
        try:
            return list(threads.map(one, files))
        finally:
            # After Ctrl-C: what waits is dropped, what runs is given up, and nobody waits for it.
            threads.shutdown(wait=False, cancel_futures=True)


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _outcome(one: Processed) -> str:
    if one.failure is None:
        return "done"
    return f"{'failed' if one.failed else 'incomplete'}: {one.failure.message}"


def _facts(one: Processed, *, with_pages: bool) -> dict[str, object]:
    facts: dict[str, object] = {"file": str(one.path), "outcome": _outcome(one)}
    if one.failure is not None:
        facts["category"] = one.failure.category
    for value in one.values:
        match value:
            case Fetched():
                facts.update(asdict(value))
            case Extracted():
                facts["page_count"] = len(value.pages)
                if with_pages:
                    facts["pages"] = [{"number": p.number, "text": p.text} for p in value.pages]
            case Classified():
                facts.update(asdict(value))
            case Chunked():
                facts["chunk_count"] = len(value.chunks)
            case _:
                pass
    return facts
