"""Workers while the blob store is away: documents wait and are processed when it is back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from docyard.intake import Arrival, receive
from docyard.pipeline.run import Pipeline
from docyard.store.blobs import FolderBlobs
from docyard.worker import WorkerOptions
from tests.builders.container_files import make_tar
from tests.builders.small_disk import fill_disk, mount_small_disk
from tests.worker.worker_runs import fetch_row, fetch_rows, run_in_thread, upload_text, wait_until

_OPTIONS = WorkerOptions(slots=2, lease_seconds=3.0, poll_interval=0.2)
_SHARE = "blobs"


@contextmanager
def unmounted(folder: Path) -> Iterator[None]:
    """Replace the folder by an empty one, as unmounting a share does, until the block ends."""
    away = folder.with_name("share")
    folder.rename(away)
    folder.mkdir()
    yield
    folder.rename(folder.with_name("mount-point"))
    away.rename(folder)


@pytest.mark.usefixtures("without_embedding", "quick_commits")
def test_documents_wait_while_the_store_is_away(pipeline: Pipeline, workspace: UUID, tmp_path: Path) -> None:
    for number in range(80):
        upload_text(pipeline, workspace, f"The tide table of day {number}.", f"{number}.txt")
    with run_in_thread(pipeline, _OPTIONS):
        wait_until(lambda: _count(pipeline, "completed") >= 3, "the first documents")
        with unmounted(tmp_path / _SHARE):
            wait_until(lambda: _breaker_cause(pipeline) == "storage", "the breaker to open")
            left_in_mount_point = list((tmp_path / _SHARE).iterdir())
        wait_until(lambda: _count(pipeline, "completed") == 80, "all documents")
    assert left_in_mount_point == []
    assert fetch_rows(pipeline, "SELECT FROM dead_letters") == []
    assert fetch_rows(pipeline, "SELECT FROM documents WHERE reason IS NOT NULL") == []
    assert fetch_rows(pipeline, "SELECT FROM job_history WHERE attempts > 1") == []


@pytest.mark.usefixtures("without_embedding", "quick_commits")
def test_documents_wait_while_no_file_can_be_read(pipeline: Pipeline, workspace: UUID, tmp_path: Path) -> None:
    for number in range(20):
        upload_text(pipeline, workspace, f"The tide table of day {number}.", f"{number}.txt")
    files = [path for path in (tmp_path / _SHARE / str(workspace)).rglob("*") if path.is_file()]
    assert len(files) == 20
    for path in files:
        path.rename(path.with_suffix(".kept"))
        path.symlink_to("/proc/self/mem")  # the kernel refuses to read it with EIO
    with run_in_thread(pipeline, _OPTIONS):
        wait_until(lambda: _breaker_cause(pipeline) == "storage", "the breaker to open")
        for path in files:
            path.with_suffix(".kept").replace(path)
        wait_until(lambda: _count(pipeline, "completed") == 20, "all documents")
    assert fetch_rows(pipeline, "SELECT FROM dead_letters") == []
    assert fetch_rows(pipeline, "SELECT FROM job_history WHERE attempts > 1") == []


@pytest.mark.usefixtures("without_embedding")
def test_attachments_wait_while_the_disk_is_full(pipeline: Pipeline, workspace: UUID, tmp_path: Path) -> None:
    with mount_small_disk(tmp_path / "disk", 128) as disk:
        blobs = FolderBlobs(disk / "blobs", uuid4())
        blobs.create()
        cramped = replace(pipeline, blobs=blobs)
        archive = make_tar({"parts.txt": b"Bolts and planks.\n" * 2000})
        receive(pipeline.db, blobs, pipeline.limits, Arrival(workspace, "parts.tar", "upload"), [archive])
        filler = fill_disk(disk)
        with run_in_thread(cramped, _OPTIONS):
            waiting = "SELECT attempts FROM jobs WHERE state = 'scheduled' AND pool = 'receive_child'"
            assert wait_until(lambda: fetch_rows(pipeline, waiting), "the attachment to wait") == [{"attempts": 0}]
            assert list((blobs.folder / "arriving").iterdir()) == []
            filler.unlink()
            wait_until(lambda: _count(pipeline, "completed") == 2, "the archive and the attachment")
    assert fetch_rows(pipeline, "SELECT FROM dead_letters") == []
    assert fetch_rows(pipeline, "SELECT FROM job_history WHERE attempts > 1") == []


@pytest.mark.usefixtures("without_embedding")
def test_a_sweep_that_hangs_does_not_stop_the_worker(
    pipeline: Pipeline, workspace: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(FolderBlobs, "delete_abandoned", lambda *_: not released.wait(60))
    upload_text(pipeline, workspace, "Read although the share hangs.")
    with run_in_thread(pipeline, _OPTIONS):
        wait_until(lambda: _count(pipeline, "completed") == 1, "the document")
    released.set()


def _count(pipeline: Pipeline, status: str) -> int:
    return int(fetch_row(pipeline, "SELECT count(*) AS n FROM documents WHERE status = %s", status)["n"])


def _breaker_cause(pipeline: Pipeline) -> str:
    return str(fetch_row(pipeline, "SELECT category FROM pool_breakers WHERE state = 'open'").get("category"))
