"""Run the tests of queue, worker, schema and access on PostgreSQL 15, the oldest supported version.

The server is Debian's package, which is installed if it is missing and this runs as root. All arguments are
passed to pytest.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARIES = Path("/usr/lib/postgresql/15/bin")
FOLDERS = ["tests/queue", "tests/db/schema", "tests/db/access", "tests/worker"]
TAGS = "tests/pipeline/documents/test_tags.py::"
PLANS = "tests/queue/jobs/test_claim_plan.py::"
# Debian's package has no pgvector, so tests of embeddings are skipped. PostgreSQL 15 has a worse plan for the
# removal of many empty lanes. To find the children of a job, it scans the whole table until the table is
# analysed.
SKIPPED = [
    "tests/pipeline/documents/test_embedding.py",
    f"{TAGS}test_finds_a_tag_by_semantic_search",
    f"{TAGS}test_the_duty_embeds_tags_added_later_and_for_a_new_model",
    f"{PLANS}test_skipping_empty_lanes_has_linear_cost",
    f"{PLANS}test_settling_children_does_not_read_the_backlog[never analysed]",
    f"{PLANS}test_children_retries_and_cancellation_do_not_read_the_backlog[never analysed]",
]
MISSING = "PostgreSQL 15 was not found. Install it (Debian: apt-get install postgresql-15) or run this as root."


def main() -> int:
    """Start a server, run the tests on it, and stop it."""
    if not BINARIES.exists():
        install()
    with run_server() as conninfo:
        environ = {**os.environ, "DOCYARD_TEST_SERVER": conninfo}
        skipped = [f"--deselect={test}" for test in SKIPPED]
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not long", *FOLDERS, *skipped, *sys.argv[1:]]
        return subprocess.run(command, env=environ, check=False).returncode


def install() -> None:
    """Install Debian's package, without creating its default cluster."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        sys.exit(MISSING)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PG_NO_CLUSTER": "1"}
    for step in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "postgresql-15"]):
        subprocess.run(["apt-get", *step], check=True, env=quiet, stdout=subprocess.DEVNULL)


@contextmanager
def run_server() -> Iterator[str]:
    """Start a temporary server on the loopback address, and yield its connection string."""
    with tempfile.TemporaryDirectory(prefix="docyard-pg15-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        account = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        shutil.chown(folder, account)
        port = free_port()
        data = str(folder / "data")
        call(account, "initdb", "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200"
        call(account, "pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start")
        try:
            yield f"host=127.0.0.1 port={port} user=postgres dbname=postgres"
        finally:
            call(account, "pg_ctl", "-D", data, "-m", "immediate", "stop")


def call(account: str, program: str, *arguments: str) -> None:
    """Run a PostgreSQL program under this account, because it refuses to run as root; exit if it fails."""
    command = [str(BINARIES / program), *arguments]
    user = account if os.geteuid() == 0 else None
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", user=user)
    if done.returncode:
        sys.exit(f"{program} failed: {done.stderr}")


def free_port() -> int:
    """Return a port that is currently free."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
