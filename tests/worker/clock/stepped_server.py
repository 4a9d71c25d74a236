"""A PostgreSQL server whose clock a test can set; the clock of the machine is not touched."""

from __future__ import annotations

import shutil
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


@dataclass(frozen=True)
class SteppedServer:
    """A server under libfaketime, which reads the offset of its clock from a file at each call."""

    address: Address
    offset: Path

    def conninfo(self) -> str:
        """Return the connection string of its superuser."""
        return self.address.conninfo("postgres")

    def set_clock(self, seconds: float) -> None:
        """Set the clock of the server to the machine's time plus `seconds`."""
        # Replaced, not rewritten: the server must never read an empty file.
        draft = self.offset.with_suffix(".new")
        draft.write_text(f"{seconds:+.0f}\n")
        draft.chmod(0o644)
        draft.rename(self.offset)


@contextmanager
def run_stepped_server(folder: Path) -> Iterator[SteppedServer]:
    """Run a server with a clock of its own in a folder that other accounts can read."""
    library = str(shutil.copy(str(distribution("libfaketime").locate_file(_LIBRARY)), folder))
    layout = Layout.for_home(folder / "home")
    layout.make_folder()
    cluster, password = prepare(layout, folder / "base")
    port = postmaster.find_free_port(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postmaster, "ENVIRONMENT", {**ENVIRONMENT, **_fake_time(library, folder / "offset")})
        process = postmaster.start_postmaster(cluster, port)
    server = SteppedServer(Address(port, password, process.pid, cluster.binaries.version), folder / "offset")
    server.set_clock(0)
    try:
        wait_until(lambda: postmaster.is_ready(cluster, process), "the server")
        yield server
    finally:
        postmaster.stop_postmaster(process)


def _fake_time(library: str, offset: Path) -> dict[str, str]:
    return {
        "LD_PRELOAD": library,
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DISABLE_SHM": "1",
        # As when the clock of a machine is set: its monotonic clock goes on.
        "DONT_FAKE_MONOTONIC": "1",
    }
