"""Start, readiness and stop of a PostgreSQL server process."""

from __future__ import annotations

import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from docyard.db.embedded.address import HOST
from docyard.db.embedded.cleanup import make_cluster_name
from docyard.db.embedded.cluster.account import Account
from docyard.db.embedded.cluster.binaries import Binaries
from docyard.db.embedded.cluster.data_folder import ENVIRONMENT
from docyard.db.embedded.layout import read_text
from docyard.db.embedded.parent_death import make_parent_death_handler

# Line of postmaster.pid, counted from 0, that contains the state of the server.
_STATE_LINE = 7
Postmaster = subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A data folder with the programs, account and log file for its server."""

    data: Path
    binaries: Binaries
    account: Account
    log: Path


def start_postmaster(cluster: Cluster, port: int) -> Postmaster:
    """Start a server; this process opens the log, because PostgreSQL's account may lack access to it."""
    options = {
        "listen_addresses": HOST,
        "port": str(port),
        "unix_socket_directories": "",
        "cluster_name": make_cluster_name(cluster.data),
        "logging_collector": "off",
    }
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    with cluster.log.open("ab") as log:
        return subprocess.Popen(
            [cluster.binaries.program_path("postgres"), "-D", str(cluster.data), *settings],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=ENVIRONMENT,
            preexec_fn=make_parent_death_handler(),  # noqa: PLW1509 - the guardian has one thread
            **cluster.account.popen_options(),
        )


def is_ready(cluster: Cluster, postmaster: Postmaster) -> bool:
    """Return whether postmaster.pid reports that the server is ready.

    Connection attempts are not used as a test, because during recovery they would fill the log.
    """
    lines = (read_text(cluster.data / "postmaster.pid") or "").splitlines()
    return len(lines) > _STATE_LINE and lines[0] == str(postmaster.pid) and lines[_STATE_LINE].strip() == "ready"


def stop_postmaster(postmaster: Postmaster) -> None:
    """Request a fast shutdown, then an immediate one, then kill the server; no committed data is lost."""
    for number, seconds in ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
        if postmaster.poll() is not None:
            return
        postmaster.send_signal(number)
        try:
            postmaster.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def find_free_port(wanted: int | None) -> int:
    """Return the wanted port if it is free, or else any free port."""
    for port in (wanted or 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError(f"No free port on {HOST}")
