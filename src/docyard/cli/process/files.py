"""What `docyard process` gives for each file, and where it writes it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from docyard.model.text.blocks import unpack_blocks
from docyard.model.text.markdown import document_markdown
from docyard.model.text.pages import Page
from docyard.model.values import Chunked, Classified, Extracted, Fetched
from docyard.pipeline.direct import Processed

_LONGEST_NAME = 230  # bytes; file systems allow 255
FORMATS = {"json": ".json", "markdown": ".md"}


@dataclass(frozen=True, slots=True)
class Target:
    """A file to read, and where its result goes, if anywhere."""

    path: Path
    result: Path | None
    shape: str


def targets(roots: Sequence[Path], files: Iterable[Path], output: Path | None, shape: str) -> list[Target]:
    """Each file with a place of its own: the same name in two folders never becomes one result."""
    if output is None:
        return [Target(path, None, shape) for path in files]
    taken: set[str] = set()
    return [
        Target(path, output / _free(_within(roots, path), FORMATS[shape], taken), shape) for path in files
    ]


def _within(roots: Sequence[Path], path: Path) -> Path:
    """The path below the folder it was found in, with that folder's name when several were named."""
    for root in roots:
        if root.is_dir() and path.is_relative_to(root):
            below = path.relative_to(root)
            return Path(root.resolve().name) / below if len(roots) > 1 else below
    return Path(path.name)


def _free(wanted: Path, ending: str, taken: set[str]) -> Path:
    number = 1
    found = wanted.with_name(_short(wanted.name) + ending)
    while str(found).casefold() in taken:  # some file systems do not tell A from a
        number += 1
        found = wanted.with_name(f"{_short(wanted.name)} ({number}){ending}")
    taken.add(str(found).casefold())
    return found


def _short(name: str) -> str:
    """The name with room for what is put after it."""
    return os.fsdecode(os.fsencode(name)[:_LONGEST_NAME])


def write(done: Processed, target: Target) -> None:
    """Write the result of a file, whole or not at all."""
    if target.result is None:
        return
    text = markdown_of(done) if target.shape == "markdown" else _as_json(facts_of(done, with_pages=True))
    target.result.parent.mkdir(parents=True, exist_ok=True)
    aside = target.result.with_name(f".docyard-{os.getpid()}-{threading.get_ident()}")
    try:
        aside.write_bytes(text.encode(errors="replace"))
        aside.replace(target.result)
    finally:
        aside.unlink(missing_ok=True)


def _as_json(facts: dict[str, object]) -> str:
    return json.dumps(facts, default=str, ensure_ascii=False, indent=2) + "\n"


def outcome_of(one: Processed) -> str:
    """Done, or what went wrong in words."""
    if one.failure is None:
        return "done"
    return f"{'failed' if one.failed else 'incomplete'}: {one.failure.message}"


def markdown_of(one: Processed) -> str:
    """The text of a file as Markdown; a file without any says why."""
    pages = [page for value in one.values if isinstance(value, Extracted) for page in value.pages]
    written = document_markdown(pages)
    return written if written.strip() or one.failure is None else f"<!-- {outcome_of(one)} -->\n"


def facts_of(one: Processed, *, with_pages: bool) -> dict[str, object]:
    """All that was found out about a file, for programs."""
    facts: dict[str, object] = {"file": str(one.path), "outcome": outcome_of(one)}
    if one.failure is not None:
        facts["category"] = one.failure.category
    for value in one.values:
        match value:
            case Fetched() | Classified():
                facts.update(asdict(value))
            case Extracted():
                facts["page_count"] = len(value.pages)
                facts["notes"] = list(value.notes)
                if with_pages:
                    facts["pages"] = [_page_facts(page) for page in value.pages]
            case Chunked():
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
