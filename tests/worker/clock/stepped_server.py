"""A PostgreSQL server whose clock a test can set; the clock of the machine is not touched."""

from __future__ import annotations

import platform
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

from docyard.db.embedded import postmaster
from docyard.db.embedded.address import Address
from docyard.db.embedded.cluster.data_folder import ENVIRONMENT
from docyard.db.embedded.cluster.preparation import prepare
from docyard.db.embedded.layout import Layout
from tests.worker.worker_runs import wait_until

_LIBRARY = "libfaketime/vendor/libfaketime/src/libfaketime.so.1"


@dataclass
class SteppedServer:
    """A server under libfaketime, which reads the offset of its clock from a file at each call."""

    cluster: postmaster.Cluster
    password: str
    folder: Path
    port: int
    process: postmaster.Postmaster | None = None

    def conninfo(self) -> str:
        """Return the connection string of its superuser."""
        pid = self.process.pid if self.process else 0
        return Address(self.port, self.password, pid, self.cluster.binaries.version).conninfo("postgres")

    def set_clock(self, seconds: float) -> None:
        """Set the clock of the server to the machine's time plus `seconds`."""
        # Replaced, not rewritten: the server must never read an empty file.
        draft = self.folder / "offset.new"
        draft.write_text(f"{seconds:+.0f}\n")
        draft.chmod(0o644)
        draft.rename(self.folder / "offset")

    def start(self) -> None:
        """Start the server and wait until it is ready."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(postmaster, "ENVIRONMENT", {**ENVIRONMENT, **_fake_time(self.folder)})
            process = self.process = postmaster.start_postmaster(self.cluster, self.port)
        wait_until(lambda: postmaster.is_ready(self.cluster, process), "the server")

    def crash(self) -> None:
        """End the server without a shutdown, so that it recovers at its next start."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(60)


@contextmanager
def run_stepped_server(folder: Path) -> Iterator[SteppedServer]:
    """Run a server with a clock of its own in a folder that other accounts can read."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("The package libfaketime contains a library for Linux on x86-64 only.")
    shutil.copy(str(distribution("libfaketime").locate_file(_LIBRARY)), folder / "libfaketime.so")
    layout = Layout.for_home(folder / "home")
    layout.make_folder()
    server = SteppedServer(*prepare(layout, folder / "base"), folder, postmaster.find_free_port(None))
    server.set_clock(0)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None:
            postmaster.stop_postmaster(server.process)


def _fake_time(folder: Path) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(folder / "libfaketime.so"),
        "FAKETIME_TIMESTAMP_FILE": str(folder / "offset"),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DISABLE_SHM": "1",
        # As when the clock of a machine is set: its monotonic clock goes on.
        "DONT_FAKE_MONOTONIC": "1",
    }
