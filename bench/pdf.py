"""`python -m bench.pdf FOLDER`: PDF files to stored text with boxes, beside a bare loop and other readers.

Contestants take turns at every file, each file several times, and the best of each counts: what else the
machine did in one of them then falls on nobody. Ours goes the whole way, through the child to the database.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from uuid import UUID

import psutil
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
_MOST_READS = 5000
Reader = Callable[[Path], int]
_BARE = "pypdfium2, text and rectangles in a bare loop"
_OURS = "Docyard, to stored text with boxes and blocks"


def main() -> None:
    """Measure and print one table."""
    if len(sys.argv) != 2:
        sys.exit("Name a folder: python -m bench.pdf FOLDER")
    files = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.suffix.lower() == ".pdf"]
    with docyard() as ours:
        readers = {_BARE: bare, _OURS: ours.read, **dict(others())}
        readable = [path for path in files if _has_text(path)]
        times = {name: Times() for name in readers}
        ours.read(readable[0])
        before = ours.helpers_seconds()
        for path in readable:
            _turns(readers, times, path)
        times[_OURS].processor += ours.helpers_seconds() - before
    pages = sum(bare(path) for path in readable)
    print(f"{len(readable)} files with text, {pages:,} pages; load average {os.getloadavg()[0]:.1f}\n")
    print("| reader | pages a second | of the bare loop | CPU ms a page | of the bare loop |")
    print("|---|---|---|---|---|")
    for name, spent in times.items():
        print(f"| {name} | {_figures(spent, times[_BARE], pages)} |")


@dataclass
class Times:
    """Seconds on the clock, the best of each file; of the processor, of all rounds; how many those were."""

    clock: float = 0.0
    processor: float = 0.0
    rounds: int = 0


def _figures(spent: Times, bare_loop: Times, pages: int) -> str:
    each, base = (times.processor / times.rounds for times in (spent, bare_loop))
    clock = f"{pages / spent.clock:,.0f} | {bare_loop.clock / spent.clock:.0%}"
    return f"{clock} | {each * 1000 / pages:.2f} | {base / each:.0%}"


def _turns(readers: dict[str, Reader], times: dict[str, Times], path: Path) -> None:
    """Everybody reads one file in turn, several times."""
    best: dict[str, float] = {}
    for number in range(ROUNDS):
        for name, read in readers.items():
            if number >= SLOW_ROUNDS and name not in (_BARE, _OURS):
                continue
            times[name].rounds = number + 1
            began, busy = time.perf_counter(), time.process_time()
            read(path)
            times[name].processor += time.process_time() - busy
            best[name] = min(best.get(name, 1e9), time.perf_counter() - began)
    for name, seconds in best.items():
        times[name].clock += seconds


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


class Ours:
    """Our reader, with a database and a child of its own."""

    def __init__(self, db: Database, children: ChildPool) -> None:
        self._db, self._children = db, children
        self._documents, self._workspace = _documents(db)

    def read(self, path: Path) -> int:
        """From the file to the stored pages."""
        given = Given([Source(path, path.name, None, None), Fetched("application/pdf", 1, "")], Limits())
        try:
            value = self._children.call(run_stage, "extract", given, seconds=300)
        except Failure as failure:
            print(f"{path.name}: {failure}", file=sys.stderr)
            return 0
        if not isinstance(value, Extracted):
            raise TypeError(value)
        with self._db.transaction() as conn:
            # A new one each time, because replacing the pages of another would cost more.
            save_extracted(conn, self._documents.pop(), self._workspace, value)
        return len(value.pages)

    def helpers_seconds(self) -> float:
        """What the child and the database have used of the processor so far."""
        with self._db.transaction() as conn:
            rows = conn.execute(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ).fetchall()
        children = [
            child.pid for child in psutil.Process().children() if "children.child" in str(child.cmdline())
        ]
        times = [psutil.Process(pid).cpu_times() for pid in [*children, *(row["pid"] for row in rows)]]
        return sum(each.user + each.system for each in times)


@contextmanager
def docyard() -> Iterator[Ours]:
    """Our reader, while inside."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        opened(Settings(home=Path(folder) / "home"), create=True) as installation,
        ChildPool(1, Limits()) as children,
    ):
        yield Ours(installation.db, children)


def _documents(db: Database) -> tuple[list[UUID], UUID]:
    with db.transaction() as conn:
        workspace = get_or_create_workspace(conn, "Bench")
        rows = conn.execute(
            "INSERT INTO documents (workspace_id, name)"
            " SELECT %s, 'bench' FROM generate_series(1, %s) RETURNING id",
            (workspace, _MOST_READS),
        ).fetchall()
        return [row["id"] for row in rows], workspace


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
