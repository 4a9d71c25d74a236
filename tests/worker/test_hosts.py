"""Workers on several hosts share nothing but the database and the blobs, and may even be called the same."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.intake import Arrival, receive
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.pipeline.run import Pipeline
from docyard.store.blobs import FolderBlobs
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stopping import Stopping

_OPTIONS = WorkerOptions(slots=1, single_run=True, batch_size=1, resources=("cpu",))


def test_two_hosts_of_one_name_do_each_document_once(
    database_address: str, workspace: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As containers have it, every one is called the same; here even their process is one.
    monkeypatch.setattr(socket, "gethostname", lambda: "box")
    with ExitStack() as opened:
        hosts = [_host(opened, database_address, tmp_path / "blobs") for _ in range(2)]
        for number in range(6):
            arrival = Arrival(workspace, f"{number}.txt", "upload")
            receive(hosts[0].db, hosts[0].blobs, Limits(), arrival, [f"Note {number}.".encode()])
        boots = 0
        while _work_is_left(hosts[1].db):
            with ThreadPoolExecutor(2) as threads:
                list(threads.map(lambda host: run_worker(host, _OPTIONS, Stopping()), hosts))
            boots += 2
        with hosts[1].db.transaction() as conn:
            workers = conn.execute("SELECT DISTINCT host, pid FROM workers").fetchall()
            known = conn.execute("SELECT id FROM workers").fetchall()
            done = conn.execute("SELECT document_id, stage, worker_id FROM stage_results").fetchall()
            ended = conn.execute("SELECT status, count(*) AS n FROM documents GROUP BY 1").fetchall()
    assert [row["host"] for row in workers] == ["box"]
    assert len(known) == boots >= 2, "each boot is a worker of its own"
    assert ended == [{"status": "completed", "n": 6}]
    assert len(done) == len({(row["document_id"], row["stage"]) for row in done})
    assert {row["worker_id"] for row in done} <= {row["id"] for row in known}


def _work_is_left(database: Database) -> bool:
    with database.transaction() as conn:
        return conn.execute("SELECT FROM jobs WHERE pool <> 'embed'").fetchone() is not None


def _host(opened: ExitStack, address: str, blobs: Path) -> Pipeline:
    database = Database(lambda: address, size=6)
    opened.callback(database.close)
    children = opened.enter_context(ChildPool(1, Limits()))
    return Pipeline(database, FolderBlobs(blobs), children, Limits())
