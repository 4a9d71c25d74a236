"""One PostgreSQL server process: started, found ready, stopped."""

from __future__ import annotations

import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from docyard.db.embedded.address import HOST
from docyard.db.embedded.cluster.account import Account
from docyard.db.embedded.cluster.binaries import Binaries
from docyard.db.embedded.cluster.data_folder import ENVIRONMENT
from docyard.db.embedded.layout import read_text
from docyard.db.embedded.leftovers import cluster_name
from docyard.db.embedded.parent_death import die_with_parent

# Line of postmaster.pid, counted from 0, in which the server tells its state.
_STATE_LINE = 7
Postmaster = subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A data folder with what is needed to run a server on it."""

    data: Path
    binaries: Binaries
    account: Account
    log: Path


def start_postmaster(cluster: Cluster, port: int) -> Postmaster:
    """Its log is opened here, because the account that runs it may not reach that folder."""
    options = {
        "listen_addresses": HOST,
        "port": str(port),
        "unix_socket_directories": "",
        "cluster_name": cluster_name(cluster.data),
        "logging_collector": "off",
    }
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    with cluster.log.open("ab") as log:
        return subprocess.Popen(
            [cluster.binaries.program("postgres"), "-D", str(cluster.data), *settings],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=ENVIRONMENT,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 - the guardian has one thread
            **cluster.account.popen_options(),
        )


def is_ready(cluster: Cluster, postmaster: Postmaster) -> bool:
    """Asked of its own file, as pg_ctl does: a connection refused during recovery would fill the log."""
    lines = (read_text(cluster.data / "postmaster.pid") or "").splitlines()
    return (
        len(lines) > _STATE_LINE and lines[0] == str(postmaster.pid) and lines[_STATE_LINE].strip() == "ready"
    )


def stop_postmaster(postmaster: Postmaster) -> None:
    """Fast shutdown, then ever ruder; each of them keeps what was committed."""
    for number, seconds in ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
        if postmaster.poll() is not None:
            return
        postmaster.send_signal(number)
        try:
            postmaster.wait(seconds)
        except subprocess.TimeoutExpired:
            continue


def free_port(wanted: int | None) -> int:
    """The port of last time if nobody took it, so that clients need not look for the server again."""
    for port in (wanted or 0, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError(f"no free port on {HOST}")
