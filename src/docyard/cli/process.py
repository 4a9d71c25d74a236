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
from docyard.cli.output import print_json, print_table
from docyard.model.values import Chunked, Classified, Extracted, Fetched
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Processed, process_file
from docyard.settings import Settings
from docyard.worker import WorkerOptions


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@json_option
@click.pass_obj
def process(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> None:
    """Process files now and show what was found; nothing is stored."""
    files = list(files_below(paths))
    processed = _process_all(settings, files)
    if as_json:
        print_json([_as_json(one) for one in processed])
    else:
        print_table(
            ("File", "Outcome", "Title", "Language", "Pages", "Chunks"), map(_line, processed), "No files."
        )
    if any(one.failed for one in processed):
        raise SystemExit(1)


def _process_all(settings: Settings, files: list[Path]) -> list[Processed]:
    limits, slots = limits_of(settings), WorkerOptions(slots=settings.slots).slot_count
    children = ChildPool(slots, limits)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=len(files))

        def one(path: Path) -> Processed:
            show = f"{path.name[:40]}"
            done = process_file(
                children, limits, path, lambda stage: progress.update(bar, description=f"{show} {stage}")
            )
            progress.advance(bar)
            return done

        try:
            with ThreadPoolExecutor(slots) as threads:
                return list(threads.map(one, files))
        finally:
            children.close()


def _outcome(one: Processed) -> str:
    if one.failure is None:
        return "done"
    return f"{'failed' if one.failed else 'incomplete'}: {one.failure.message}"


def _line(one: Processed) -> tuple[object, ...]:
    facts = _as_json(one)
    return (
        one.path,
        _outcome(one),
        *(facts.get(key) for key in ("title", "language", "page_count", "chunk_count")),
    )


def _as_json(one: Processed) -> dict[str, object]:
    facts: dict[str, object] = {"file": str(one.path), "outcome": _outcome(one)}
    if one.failure is not None:
        facts["category"] = one.failure.category
    for value in one.values:
        match value:
            case Fetched():
                facts.update(asdict(value))
            case Extracted():
                facts["page_count"] = len(value.pages)
                facts["pages"] = [{"number": p.number, "text": p.text} for p in value.pages]
            case Classified():
                facts.update(asdict(value))
            case Chunked():
                facts["chunk_count"] = len(value.chunks)
            case _:
                pass
    return facts
