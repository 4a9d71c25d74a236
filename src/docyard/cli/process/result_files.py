"""Results of `docyard process`, and the files that they are written to."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from docyard.model.stage_values import Classification, DocumentChunks, ExtractedText, FetchedFile
from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.markdown import document_markdown
from docyard.model.text.pages import Page
from docyard.pipeline.direct import FileResult

_MAX_NAME_BYTES = 230  # of the 255 that file systems allow; leaves room for a suffix
FORMATS = {"json": ".json", "markdown": ".md"}


@dataclass(frozen=True, slots=True)
class Target:
    """A file to read, and the path of its result file, or None to print the result."""

    path: Path
    result: Path | None
    format: str


def make_targets(roots: Sequence[Path], files: Iterable[Path], output: Path | None, shape: str) -> list[Target]:
    """Return a target for each file; files with the same name in two folders get different result files."""
    if output is None:
        return [Target(path, None, shape) for path in files]
    taken: set[str] = set()
    return [
        Target(path, output / _find_free_path(_relative_path(roots, path), FORMATS[shape], taken), shape)
        for path in files
    ]


def _relative_path(roots: Sequence[Path], path: Path) -> Path:
    """Return the path relative to its root folder; include that folder's name if there are several roots."""
    for root in roots:
        if root.is_dir() and path.is_relative_to(root):
            below = path.relative_to(root)
            return Path(root.resolve().name) / below if len(roots) > 1 else below
    return Path(path.name)


def _find_free_path(wanted: Path, suffix: str, taken: set[str]) -> Path:
    number = 1
    free = wanted.with_name(_truncate_name(wanted.name) + suffix)
    while str(free).casefold() in taken:  # some file systems ignore case
        number += 1
        free = wanted.with_name(f"{_truncate_name(wanted.name)} ({number}){suffix}")
    taken.add(str(free).casefold())
    return free


def _truncate_name(name: str) -> str:
    """Truncate a name, so that a suffix can be appended."""
    return os.fsdecode(os.fsencode(name)[:_MAX_NAME_BYTES])


def write_result(done: FileResult, target: Target) -> None:
    """Write the result of a file atomically; do nothing if the target has no result file."""
    if target.result is None:
        return
    text = format_markdown(done) if target.format == "markdown" else _format_json(make_facts(done, with_pages=True))
    target.result.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.result.with_name(f".docyard-{os.getpid()}-{threading.get_ident()}")
    try:
        temporary.write_bytes(text.encode(errors="replace"))
        temporary.replace(target.result)
    finally:
        temporary.unlink(missing_ok=True)


def _format_json(facts: dict[str, object]) -> str:
    return json.dumps(facts, default=str, ensure_ascii=False, indent=2) + "\n"


def describe_outcome(one: FileResult) -> str:
    """Return "done", or "failed" or "incomplete" with the message of the failure."""
    if one.failure is None:
        return "done"
    return f"{'failed' if one.failed else 'incomplete'}: {one.failure.message}"


def format_markdown(one: FileResult) -> str:
    """Return the text of a file as Markdown, or the failure as a comment if there is no text."""
    pages = [page for value in one.values if isinstance(value, ExtractedText) for page in value.pages]
    text = document_markdown(pages)
    return text if text.strip() or one.failure is None else f"<!-- {describe_outcome(one)} -->\n"


def make_facts(one: FileResult, *, with_pages: bool) -> dict[str, object]:
    """Return the results of a file as JSON values; `with_pages` adds its pages and chunks."""
    facts: dict[str, object] = {"file": str(one.path), "outcome": describe_outcome(one)}
    if one.failure is not None:
        facts["category"] = one.failure.category
    for value in one.values:
        match value:
            case FetchedFile() | Classification():
                facts.update(asdict(value))
            case ExtractedText():
                facts["page_count"] = len(value.pages)
                facts["notes"] = list(value.notes)
                if with_pages:
                    facts["pages"] = [_page_facts(page) for page in value.pages]
            case DocumentChunks():
                facts["chunk_count"] = len(value.chunks)
                if with_pages:
                    facts["chunks"] = [asdict(chunk) for chunk in value.chunks]
            case _:
                pass
    facts["seconds"] = {stage: round(seconds, 3) for stage, seconds in one.seconds}
    return facts


def _page_facts(page: Page) -> dict[str, object]:
    return {
        "number": page.number,
        "text": page.text,
        "width": page.width,
        "height": page.height,
        "blocks": [block._asdict() for block in unpack_blocks(page.blocks)],
    }
