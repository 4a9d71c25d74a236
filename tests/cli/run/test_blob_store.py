"""Commands with a blob store that is missing, belongs to another installation, or is on a full disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from docyard.cli.blob_store import check_store
from docyard.db import Database
from docyard.errors import StoreUnavailable
from docyard.intake import Arrival, receive
from docyard.model.limits import Limits
from docyard.store.blobs import FolderBlobs, open_store
from tests.builders.small_disk import mount_small_disk
from tests.chaos.installation import wait_for
from tests.cli.conftest import Shell


@pytest.fixture
def used_shell(external_shell: Shell, database: Database, workspace: UUID) -> Shell:
    """A shell whose store has the file of a document that waits for a worker."""
    with database.transaction() as conn:
        blobs = open_store(conn, FolderBlobs(external_shell.home / "blobs"))
    receive(database, blobs, Limits(), Arrival(workspace, "note.txt", "upload"), [b"A note that waits."])
    return external_shell


@contextmanager
def _unmounted(home: Path) -> Iterator[Path]:
    """Replace the store by an empty folder, as unmounting a share does, until the block ends."""
    folder, share = home / "blobs", home / "share"
    folder.rename(share)
    folder.mkdir()
    yield folder
    assert list(folder.iterdir()) == []
    folder.rmdir()
    share.rename(folder)


@contextmanager
def _running_worker(shell: Shell, log: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "docyard", "worker", "--slots", "1", "--poll-interval", "0.2"]
    environ = {**os.environ, "DOCYARD_HOME": str(shell.home), **shell.environ}
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environ, stdout=output, stderr=output)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, log.read_text()


def _has_documents(database: Database, status: str, category: str | None) -> bool:
    with database.transaction() as conn:
        rows = conn.execute("SELECT status, reason_category FROM documents").fetchall()
    return rows == [{"status": status, "reason_category": category}]


def test_processes_refuse_the_store_of_another_installation(used_shell: Shell) -> None:
    folder = used_shell.home / "blobs"
    FolderBlobs(folder, uuid4()).create()
    for command in ("worker", "serve", "up"):
        output = used_shell.run(command, code=3)
        assert output.splitlines()[-1] == (
            "docyard: The file store belongs to another installation. Mount the right one, or correct DOCYARD_HOME."
            f" The folder is {folder}."
        )
        assert "Traceback" not in output
    assert "file store: The file store belongs to another installation" in used_shell.run("doctor", code=3)


def test_a_worker_starts_without_its_store_and_waits_for_it(
    used_shell: Shell, database: Database, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    with _unmounted(used_shell.home), _running_worker(used_shell, log):
        wait_for(lambda: _has_documents(database, "pending", "storage"), "the document to wait")
        assert "The file store is not available: its marker is missing" in log.read_text()
        output = used_shell.run("doctor", code=3)
        assert "file store: The file store is not available: its marker is missing" in output
        assert "scheduled" in used_shell.run("queue", "status")
        output = used_shell.run("add", __file__, code=1)
        assert "refused: The file store is not available: its marker is missing" in output


def test_a_worker_waits_for_a_store_without_marker(used_shell: Shell, database: Database, tmp_path: Path) -> None:
    (used_shell.home / "blobs" / "docyard-store").unlink()
    with database.transaction() as conn:  # as after an upgrade
        conn.execute("DELETE FROM blob_store")
    log = tmp_path / "worker.log"
    with ExitStack() as worker:
        with _unmounted(used_shell.home):
            worker.enter_context(_running_worker(used_shell, log))
            wait_for(lambda: "none of the files that the database knows" in log.read_text(), "the worker to say so")
            assert _has_documents(database, "pending", None)
        wait_for(lambda: _has_documents(database, "completed", None), "the document")
    assert (used_shell.home / "blobs" / "docyard-store").exists()


def test_a_store_that_does_not_answer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(FolderBlobs, "check", lambda _: released.wait(60))
    monkeypatch.setattr("docyard.cli.blob_store._CHECK_TIMEOUT", 0.01)
    with pytest.raises(StoreUnavailable, match="it does not answer"):
        check_store(FolderBlobs(Path("hangs")))
    released.set()


def test_a_full_disk_is_one_line(external_shell: Shell, database: Database, tmp_path: Path) -> None:
    (tmp_path / "large.bin").write_bytes(os.urandom(600_000))
    external_shell.home.mkdir()
    with mount_small_disk(tmp_path / "disk", 256) as disk:
        (external_shell.home / "blobs").symlink_to(disk)
        output = external_shell.run("add", str(tmp_path / "large.bin"), code=1)
        assert "refused: There is no space left on the device that stores the data." in output
        assert list((disk / "arriving").iterdir()) == []
    with database.transaction() as conn:
        assert conn.execute("SELECT FROM documents").fetchall() == []
