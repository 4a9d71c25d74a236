"""`python -m bench.pdf FOLDER`: time from PDF files to stored text with boxes, compared with other readers.

The readers alternate for every file, several times, and the best time of each file counts, to exclude other
load on the machine. Docyard's time includes the child process and the database. Readers of other projects run
in their own environments and processes and measure their own time; those that take minutes per round have one
round. Each reader reads one file before the measurement.
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

from bench.peer import Peer, start_peers
from docyard.cli.installation import open_installation
from docyard.db import Database
from docyard.errors import Failure
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText, FetchedFile, Source
from docyard.model.stages import StageInput
from docyard.pipeline.children import ChildPool
from docyard.pipeline.children.tasks import run_stage
from docyard.settings import Settings
from docyard.store.results import save_extracted
from docyard.store.users import get_or_create_workspace

ROUNDS = 5
_MAX_READS = 5000
_BARE = "pypdfium2, text and rectangles in a bare loop"
_OURS = "Docyard, to stored text with boxes and blocks"
_PEERS = ("kreuzberg", "pypdf", "pdfplumber")
_SLOW = ("pypdf", "pdfplumber")
_HEADS = "reader | rounds | pages per second | of bare loop | CPU ms per page | of bare loop | not read"


@dataclass(frozen=True, slots=True)
class Spent:
    """Wall and CPU seconds of reading one file, and whether it could be read."""

    clock: float
    processor: float
    read: bool


Reader = Callable[[Path], Spent]


def main() -> None:
    """Measure and print the table."""
    if len(sys.argv) != 2:
        sys.exit("Usage: python -m bench.pdf FOLDER")
    files = [path for path in sorted(Path(sys.argv[1]).rglob("*")) if path.suffix.lower() == ".pdf"]
    readable = [path for path in files if _has_text(path)]
    with docyard() as ours, ExitStack() as stack:
        others = {peer.name: _time_peer(stack.enter_context(peer)) for peer in start_peers(_PEERS)}
        readers = {_BARE: _time_function(bare), _OURS: _time_function(ours.read), **others}
        times = {name: Times() for name in readers}
        for read in readers.values():
            read(readable[0])
        before = ours.helper_cpu_seconds()
        for path in readable:
            _read_in_turns(readers, times, path)
        times[_OURS].processor += ours.helper_cpu_seconds() - before
        _print_table(times, len(readable), sum(bare(path) for path in readable))
        _print_pipelined(ours, readable)


def _print_pipelined(ours: Ours, paths: Sequence[Path]) -> None:
    """Print the throughput over all files if a file is saved while the next one is read."""
    loop = pipelined = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for path in paths:
            bare(path)
        between = time.perf_counter()
        ours.read_all(paths)
        loop = min(loop, between - started)
        pipelined = min(pipelined, time.perf_counter() - between)
    share = f"{loop / pipelined:.0%}"
    print(f"\nIf a file is saved while the next one is read: {share} of the bare loop's pages per second.")


def _print_table(times: dict[str, Times], files: int, pages: int) -> None:
    print(f"{files} files with text, {pages:,} pages; load average {os.getloadavg()[0]:.1f}\n")
    print(f"| {_HEADS} |\n{'|---' * 7}|")
    for name, spent in times.items():
        print(f"| {name} | {spent.rounds} | {_figures(spent, times[_BARE], pages)} | {len(spent.failed)} |")


@dataclass
class Times:
    """Sums over all files: wall seconds of the best round, and CPU seconds of all rounds."""

    clock: float = 0.0
    processor: float = 0.0
    rounds: int = 0
    failed: set[Path] = field(default_factory=set)


def _figures(spent: Times, bare_loop: Times, pages: int) -> str:
    each, base = (times.processor / times.rounds for times in (spent, bare_loop))
    clock = f"{pages / spent.clock:,.0f} | {bare_loop.clock / spent.clock:.0%}"
    return f"{clock} | {each * 1000 / pages:.2f} | {base / each:.0%}"


def _read_in_turns(readers: dict[str, Reader], times: dict[str, Times], path: Path) -> None:
    """Read one file with all readers alternately, several times."""
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


def _time_function(read: Callable[[Path], int]) -> Reader:
    """Return a reader that runs in this process."""

    def timed(path: Path) -> Spent:
        started, cpu = time.perf_counter(), time.process_time()
        pages = read(path)
        return Spent(time.perf_counter() - started, time.process_time() - cpu, read=pages > 0)

    return timed


def _time_peer(peer: Peer) -> Reader:
    """Return a reader that runs in another process, which measures its own time."""

    def timed(path: Path) -> Spent:
        answer = peer.read(path)
        return Spent(answer.clock, answer.processor, read=not answer.error)

    return timed


def bare(path: Path) -> int:
    """Extract text and rectangles of all pages with pdfium alone, and return the number of pages."""
    with closing(pypdfium2.PdfDocument(path)) as document:
        for index in range(len(document)):
            with closing(document[index]) as page, closing(page.get_textpage()) as text:
                text.get_text_bounded()
                for number in range(text.count_rects()):
                    text.get_rect(number)
        return len(document)


def _has_text(path: Path) -> bool:
    """Return whether the first page has more than 20 words; for scans, only loading would be measured."""
    try:
        with closing(pypdfium2.PdfDocument(path)) as document, closing(document[0]) as page:
            return len(page.get_textpage().get_text_bounded().split()) > 20 and bare(path) > 0
    except pypdfium2.PdfiumError:
        return False


class Ours:
    """Docyard's reader with a separate database and child process."""

    def __init__(self, db: Database, children: ChildPool) -> None:
        self._db, self._children = db, children
        self._documents, self._workspace = _add_documents(db)

    def read_all(self, paths: Sequence[Path]) -> int:
        """Read all files and return how many were saved; a file is saved while the next one is read."""
        with ThreadPoolExecutor(1) as saver:
            values = filter(None, map(self._extract, paths))
            saved = [saver.submit(self._save, value) for value in values]
        return len([each.result() for each in saved])

    def read(self, path: Path) -> int:
        """Read a file, save its pages, and return their number."""
        value = self._extract(path)
        if value is None:
            return 0
        self._save(value)
        return len(value.pages)

    def _extract(self, path: Path) -> ExtractedText | None:
        inputs = StageInput([Source(path, path.name, None, None), FetchedFile("application/pdf", 1, "")], Limits())
        try:
            value = self._children.call(run_stage, "extract", inputs, seconds=300)
        except Failure as failure:
            print(f"{path.name}: {failure}", file=sys.stderr)
            return None
        if not isinstance(value, ExtractedText):
            raise TypeError(value)
        return value

    def _save(self, value: ExtractedText) -> None:
        with self._db.transaction() as conn:
            # A new document each time, because replacing existing pages would cost more.
            save_extracted(conn, self._documents.pop(), self._workspace, value)

    def helper_cpu_seconds(self) -> float:
        """Return the CPU seconds used so far by the child and the database."""
        with self._db.transaction() as conn:
            rows = conn.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'").fetchall()
        children = [child.pid for child in psutil.Process().children() if "children.child" in str(child.cmdline())]
        times = [psutil.Process(pid).cpu_times() for pid in [*children, *(row["pid"] for row in rows)]]
        return sum(each.user + each.system for each in times)


@contextmanager
def docyard() -> Iterator[Ours]:
    """Yield Docyard's reader with a temporary installation and one child."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        open_installation(Settings(home=Path(folder) / "home"), install=True) as installation,
        ChildPool(1, Limits()) as children,
    ):
        yield Ours(installation.db, children)


def _add_documents(db: Database) -> tuple[list[UUID], UUID]:
    with db.transaction() as conn:
        workspace = get_or_create_workspace(conn, "Bench")
        rows = conn.execute(
            "INSERT INTO documents (workspace_id, name) SELECT %s, 'bench' FROM generate_series(1, %s) RETURNING id",
            (workspace, _MAX_READS),
        ).fetchall()
        return [row["id"] for row in rows], workspace


if __name__ == "__main__":
    main()
