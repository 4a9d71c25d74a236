"""`python -m bench.pdf FOLDER`: PDF files to stored text with boxes, beside a bare loop and other readers.

Contestants take turns at every file, each file several times, and the best of each counts: what else the
machine did in one of them then falls on nobody. Ours goes the whole way, through the child to the database.
Readers of other projects run in environments and processes of their own and are timed in there; those that
take minutes for a round have one. Everybody's first file does not count.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import psutil
import pypdfium2

from bench.peer import Peer, peers
from docyard.cli.installation import opened
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
_MOST_READS = 5000
_BARE = "pypdfium2, text and rectangles in a bare loop"
_OURS = "Docyard, to stored text with boxes and blocks"
_PEERS = ("kreuzberg", "pypdf", "pdfplumber")
_SLOW = ("pypdf", "pdfplumber")
_HEADS = "reader | rounds | pages a second | of the bare loop | CPU ms a page | of the bare loop | not read"


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on the clock and of the processor that one reading took."""

    clock: float
    processor: float
    read: bool


Reader = Callable[[Path], Spent]


def main() -> None:
    """Measure and print one table."""
    if len(sys.argv) != 2:
        sys.exit("Name a folder: python -m bench.pdf FOLDER")
    files = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.suffix.lower() == ".pdf"]
    readable = [path for path in files if _has_text(path)]
    with docyard() as ours, ExitStack() as stack:
        others = {peer.name: _by_itself(stack.enter_context(peer)) for peer in peers(_PEERS)}
        readers = {_BARE: _timed(bare), _OURS: _timed(ours.read), **others}
        times = {name: Times() for name in readers}
        for read in readers.values():
            read(readable[0])
        before = ours.helpers_seconds()
        for path in readable:
            _turns(readers, times, path)
        times[_OURS].processor += ours.helpers_seconds() - before
        _print(times, len(readable), sum(bare(path) for path in readable))
        _print_kept_busy(ours, readable)


def _print_kept_busy(ours: Ours, paths: Sequence[Path]) -> None:
    """The clock over all files in a row, where saving goes on beside reading."""
    loop = kept_busy = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for path in paths:
            bare(path)
        between = time.perf_counter()
        ours.read_all(paths)
        loop = min(loop, between - began)
        kept_busy = min(kept_busy, time.perf_counter() - between)
    share = f"{loop / kept_busy:.0%}"
    print(f"\nOne child kept busy, saving beside reading: {share} of the bare loop's pages a second.")


def _print(times: dict[str, Times], files: int, pages: int) -> None:
    print(f"{files} files with text, {pages:,} pages; load average {os.getloadavg()[0]:.1f}\n")
    print(f"| {_HEADS} |\n{'|---' * 7}|")
    for name, spent in times.items():
        print(f"| {name} | {spent.rounds} | {_figures(spent, times[_BARE], pages)} | {len(spent.failed)} |")


@dataclass
class Times:
    """Seconds on the clock, the best of each file; of the processor, of all rounds; how many those were."""

    clock: float = 0.0
    processor: float = 0.0
    rounds: int = 0
    failed: set[Path] = field(default_factory=set)


def _figures(spent: Times, bare_loop: Times, pages: int) -> str:
    each, base = (times.processor / times.rounds for times in (spent, bare_loop))
    clock = f"{pages / spent.clock:,.0f} | {bare_loop.clock / spent.clock:.0%}"
    return f"{clock} | {each * 1000 / pages:.2f} | {base / each:.0%}"


def _turns(readers: dict[str, Reader], times: dict[str, Times], path: Path) -> None:
    """Everybody reads one file in turn, several times."""
    best: dict[str, float] = {}
    for number in range(ROUNDS):
        for name, read in readers.items():
            if number and name in _SLOW:
                continue
            spent = read(path)
            times[name].rounds = number + 1
            times[name].processor += spent.processor
            times[name].failed |= set() if spent.read else {path}
            best[name] = min(best.get(name, 1e9), spent.clock)
    for name, seconds in best.items():
        times[name].clock += seconds


def _timed(read: Callable[[Path], int]) -> Reader:
    """A reader in this process."""

    def spent(path: Path) -> Spent:
        began, busy = time.perf_counter(), time.process_time()
        pages = read(path)
        return Spent(time.perf_counter() - began, time.process_time() - busy, read=pages > 0)

    return spent


def _by_itself(peer: Peer) -> Reader:
    """A reader in a process of its own, by what it says of its clock and processor."""

    def spent(path: Path) -> Spent:
        answer = peer.read(path)
        return Spent(answer.clock, answer.processor, read=not answer.error)

    return spent


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

    def read_all(self, paths: Sequence[Path]) -> int:
        """All of them, as a worker does: while the child reads one, the one before is saved."""
        with ThreadPoolExecutor(1) as saver:
            values = filter(None, map(self._extracted, paths))
            saved = [saver.submit(self._save, value) for value in values]
        return len([each.result() for each in saved])

    def read(self, path: Path) -> int:
        """From the file to the stored pages."""
        value = self._extracted(path)
        if value is None:
            return 0
        self._save(value)
        return len(value.pages)

    def _extracted(self, path: Path) -> Extracted | None:
        given = Given([Source(path, path.name, None, None), Fetched("application/pdf", 1, "")], Limits())
        try:
            value = self._children.call(run_stage, "extract", given, seconds=300)
        except Failure as failure:
            print(f"{path.name}: {failure}", file=sys.stderr)
            return None
        if not isinstance(value, Extracted):
            raise TypeError(value)
        return value

    def _save(self, value: Extracted) -> None:
        with self._db.transaction() as conn:
            # A new one each time, because replacing the pages of another would cost more.
            save_extracted(conn, self._documents.pop(), self._workspace, value)

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
        opened(Settings(home=Path(folder) / "home"), install=True) as installation,
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


if __name__ == "__main__":
    main()
