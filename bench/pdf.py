"""`python -m bench.pdf FOLDER`: PDF files to stored text with boxes, beside a bare loop and other readers.

Contestants take turns at every file, each file several times, and the best of each counts: what else the
machine did in one of them then falls on nobody. Ours goes the whole way, through the child to the database.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from uuid import UUID

import pypdfium2

from docyard.cli.opening import opened
from docyard.db import Database
from docyard.errors import Failure
from docyard.model.limits import Limits
from docyard.model.stages import Given
from docyard.model.values import Extracted, Fetched, Source
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage
from docyard.settings import Settings
from docyard.store.people import get_or_create_workspace
from docyard.store.results import save_extracted

ROUNDS = 5
SLOW_ROUNDS = 1
Reader = Callable[[Path], int]
_BARE = "pypdfium2, text and rectangles in a bare loop"
_OURS = "Docyard, to stored text with boxes and blocks"


def main() -> None:
    """Measure and print one table."""
    if len(sys.argv) != 2:
        sys.exit("Name a folder: python -m bench.pdf FOLDER")
    files = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.suffix.lower() == ".pdf"]
    with docyard() as ours:
        readers = {_BARE: bare, _OURS: ours, **dict(others())}
        readable = [path for path in files if _has_text(path)]
        best = dict.fromkeys(readers, 0.0)
        pages = 0
        for path in readable:
            pages += bare(path)
            for name, seconds in _turns(readers, path).items():
                best[name] += seconds
    print(f"{len(readable)} files with text, {pages:,} pages\n")
    print("| reader | pages a second | of the bare loop |\n|---|---|---|")
    for name, seconds in best.items():
        print(f"| {name} | {pages / seconds:,.0f} | {best[_BARE] / seconds:.0%} |")


def _turns(readers: dict[str, Reader], path: Path) -> dict[str, float]:
    """The best time of each at one file."""
    best: dict[str, float] = {}
    for number in range(ROUNDS):
        for name, read in readers.items():
            if number >= SLOW_ROUNDS and name not in (_BARE, _OURS):
                continue
            began = time.perf_counter()
            read(path)
            best[name] = min(best.get(name, 1e9), time.perf_counter() - began)
    return best


def bare(path: Path) -> int:
    """What pdfium gives without anybody's care: text and rectangles, page by page."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        for index in range(len(document)):
            with closing(document[index]) as page, closing(page.get_textpage()) as text:
                text.get_text_bounded()
                for number in range(text.count_rects()):
                    text.get_rect(number)
        return len(document)


def _has_text(path: Path) -> bool:
    """Whether it opens and the first page has words; scans would measure loading alone."""
    try:
        with closing(pypdfium2.PdfDocument(path)) as document, closing(document[0]) as page:
            return len(page.get_textpage().get_text_bounded().split()) > 20 and bare(path) > 0
    except pypdfium2.PdfiumError:
        return False


@contextmanager
def docyard() -> Iterator[Reader]:
    """Our reader, with a database and a child of its own."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        opened(Settings(home=Path(folder) / "home"), create=True) as installation,
        ChildPool(1, Limits()) as children,
    ):
        document, workspace = _document(installation.db)

        def read(path: Path) -> int:
            given = Given([Source(path, path.name, None, None), Fetched("application/pdf", 1, "")], Limits())
            try:
                value = children.call(run_stage, "extract", given, seconds=300)
            except Failure as failure:
                print(f"{path.name}: {failure}", file=sys.stderr)
                return 0
            if not isinstance(value, Extracted):
                raise TypeError(value)
            with installation.db.transaction() as conn:
                save_extracted(conn, document, workspace, value)
            return len(value.pages)

        yield read


def _document(db: Database) -> tuple[UUID, UUID]:
    with db.transaction() as conn:
        workspace = get_or_create_workspace(conn, "Bench")
        row = conn.execute(
            "INSERT INTO documents (workspace_id, name) VALUES (%s, 'bench') RETURNING id", (workspace,)
        ).fetchone()
        if row is None:
            raise LookupError("the document was not made")
        return row["id"], workspace


def others() -> Iterator[tuple[str, Reader]]:
    """Readers of other projects, where they are installed."""
    for name, read in (("pypdf", _pypdf), ("pdfplumber", _pdfplumber), ("kreuzberg", _kreuzberg)):
        if importlib.util.find_spec(name):
            yield name, read


def _pypdf(path: Path) -> int:
    return sum(1 for page in import_module("pypdf").PdfReader(path).pages if page.extract_text() is not None)


def _pdfplumber(path: Path) -> int:
    with import_module("pdfplumber").open(path) as document:
        return sum(1 for page in document.pages if page.extract_words() is not None)


def _kreuzberg(path: Path) -> int:
    import_module("kreuzberg").extract_file_sync(path)
    return 1


if __name__ == "__main__":
    main()
