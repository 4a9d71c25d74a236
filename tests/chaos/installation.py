"""An installation with real processes and a real database, and checks of its final state."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from docyard.db import Database
from docyard.db.embedded import EmbeddedServer
from docyard.db.embedded.address import Address, read_address
from docyard.db.embedded.layout import Layout
from docyard.errors import Unavailable
from docyard.intake import Arrival, receive
from docyard.model.limits import Limits
from docyard.model.tiers import Tier
from docyard.stages import STAGES
from docyard.store.blobs import FolderBlobs, open_store
from tests.builders.pdf.pdfs import make_text_pdf

ROOT = Path(__file__).resolve().parents[2]
LEASE = 3.0
PATIENCE = 300.0
# Number of stages of a document without scans, in a workspace without an LLM connection.
TEXT_STAGES = sum(not (stage.per_page or stage.runs_in_worker) for stage in STAGES)


def wait_for(condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """Wait until the condition returns a true value, and return it; raise AssertionError after a timeout."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            if found := condition():
                return found
        except (psycopg.OperationalError, Unavailable):
            pass  # the database may be restarting
        time.sleep(0.05)
    raise AssertionError(f"timed out after {patience:.0f} s, waiting for {what}")


def get_address(home: Path) -> Address:
    """Return the address of the home's database server; raise Unavailable while it is down."""
    address = read_address(Layout.for_home(home))
    if address is None:
        raise Unavailable("The server is down.")
    return address


@dataclass
class ChaosInstallation:
    """An installation, and the processes that tests start, suspend and kill."""

    home: Path
    db: Database
    workspace: UUID
    server: EmbeddedServer | None = None
    environ: dict[str, str] = field(default_factory=dict)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def make_environ(self) -> dict[str, str]:
        """Return the environment of the installation's processes."""
        return {**os.environ, "DOCYARD_HOME": str(self.home), **self.environ}

    def start(self, *command: str, module: str = "docyard") -> subprocess.Popen[bytes]:
        """Start a docyard command, or another module."""
        with (self.home / "processes.log").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *command],
                env=self.make_environ(),
                cwd=ROOT,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def start_worker(self, slots: int = 1) -> subprocess.Popen[bytes]:
        """Start a worker for all stages without an LLM."""
        options = ("--slots", str(slots), "--poll-interval", "0.3", "--log-level", "DEBUG")
        return self.start("worker", "--resources", "cpu,ocr", *options)

    def add(self, name: str, data: bytes, tier: Tier = Tier.USER_UPLOAD, *, workspace: UUID | None = None) -> UUID:
        """Add a document, by default to the main workspace, and return its id."""
        with self.db.transaction() as conn:
            blobs = open_store(conn, FolderBlobs(self.home / "blobs"))
        arrival = Arrival(workspace or self.workspace, name, "cli", tier)
        return receive(self.db, blobs, Limits(), arrival, [data]).document_id

    def add_slow(self, name: str = "slow.pdf", pages: int = 900) -> UUID:
        """Add a PDF whose extraction takes seconds; it is mostly numbers, so that tagging is fast."""
        lines = [f"{n} 10.25 11.5 - 12.75 13.0 = 14.125 : 15.5 16.75 / 17.0" for n in range(20)]
        return self.add(name, make_text_pdf([f"The tides of {name}"], *([str(p), *lines] for p in range(pages))))

    def add_quick(self, count: int, tier: Tier = Tier.USER_UPLOAD) -> list[UUID]:
        """Add many small documents."""
        return [
            self.add(f"note-{n}.txt", f"Note {n}\n\nThe tide table of day {n}.".encode(), tier) for n in range(count)
        ]

    def fetch_row(self, query: str, **params: object) -> dict[str, Any]:
        """Return the first row of a query, or an empty dict."""
        with self.db.transaction() as conn:
            found = conn.execute(query.encode(), params).fetchone()
        return found or {}

    def in_stage(self, document: UUID, stage: str) -> bool:
        """Return whether a worker is running this stage of the document."""
        at = self.fetch_row("SELECT status, stage FROM documents WHERE id = %(id)s", id=document)
        return at == {"status": "processing", "stage": stage}

    def all_ended(self) -> bool:
        """Return whether all documents have ended and no jobs except embedding jobs are live."""
        live = self.fetch_row(
            "SELECT (SELECT count(*) FROM documents WHERE status IN ('pending', 'processing'))"
            " + (SELECT count(*) FROM jobs WHERE pool <> 'embed') AS n"
        )
        return bool(live["n"] == 0)

    def wait_all_ended(self) -> None:
        """Wait until all documents, and all jobs except embedding jobs, have ended."""
        wait_for(self.all_ended, "every document to end")

    def check_each_ended_once(self, documents: list[UUID]) -> None:
        """Check that every document completed in one job, with one result per stage."""
        with self.db.transaction() as conn:
            states = conn.execute("SELECT id, status, reason FROM documents").fetchall()
            results = conn.execute("SELECT document_id, count(*) AS n FROM stage_results GROUP BY 1").fetchall()
            ends = conn.execute(
                "SELECT id, count(*) AS n"
                " FROM (SELECT id, pool FROM job_history UNION ALL SELECT id, pool FROM dead_letters) e"
                " WHERE pool <> 'embed' GROUP BY 1"
            ).fetchall()
        assert {row["id"] for row in states} == set(documents)
        assert [row for row in states if row["status"] != "completed" or row["reason"]] == []
        assert {row["document_id"]: row["n"] for row in results} == dict.fromkeys(documents, TEXT_STAGES)
        assert [row["n"] for row in ends] == [1] * len(documents)

    def detach(self) -> None:
        """Close the connections, and detach from the embedded server."""
        self.db.close()
        if self.server is not None:
            self.server.close()
            self.server = None

    def kill_processes(self) -> None:
        """Detach, and kill the remaining processes, including suspended ones."""
        self.detach()
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait(10)
