"""Workers on several hosts share only the database and the blobs; host names may be the same."""

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
from docyard.store.blobs import FolderBlobs, open_store
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stop_request import StopRequest

_OPTIONS = WorkerOptions(slots=1, single_run=True, batch_size=1, resources=("cpu",))


def test_two_hosts_with_the_same_name_process_each_document_once(
    database_address: str, workspace: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Containers may have the same host name; here the process ids are the same too.
    monkeypatch.setattr(socket, "gethostname", lambda: "box")
    with ExitStack() as stack:
        hosts = [_start_host(stack, database_address, tmp_path / "blobs") for _ in range(2)]
        for number in range(6):
            arrival = Arrival(workspace, f"{number}.txt", "upload")
            receive(hosts[0].db, hosts[0].blobs, Limits(), arrival, [f"Note {number}.".encode()])
        starts = 0
        while _has_jobs(hosts[1].db):
            with ThreadPoolExecutor(2) as threads:
                list(threads.map(lambda host: run_worker(host, _OPTIONS, StopRequest()), hosts))
            starts += 2
        with hosts[1].db.transaction() as conn:
            workers = conn.execute("SELECT DISTINCT host, pid FROM workers").fetchall()
            registered = conn.execute("SELECT id FROM workers").fetchall()
            done = conn.execute("SELECT document_id, stage, worker_id FROM stage_results").fetchall()
            ended = conn.execute("SELECT status, count(*) AS n FROM documents GROUP BY 1").fetchall()
    assert [row["host"] for row in workers] == ["box"]
    assert len(registered) == starts >= 2, "each start registers a new worker"
    assert ended == [{"status": "completed", "n": 6}]
    assert len(done) == len({(row["document_id"], row["stage"]) for row in done})
    assert {row["worker_id"] for row in done} <= {row["id"] for row in registered}


def _has_jobs(database: Database) -> bool:
    with database.transaction() as conn:
        return conn.execute("SELECT FROM jobs WHERE pool <> 'embed'").fetchone() is not None


def _start_host(stack: ExitStack, address: str, blobs: Path) -> Pipeline:
    database = Database(lambda: address, size=6)
    stack.callback(database.close)
    children = stack.enter_context(ChildPool(1, Limits()))
    with database.transaction() as conn:
        return Pipeline(database, open_store(conn, FolderBlobs(blobs)), children, Limits())
