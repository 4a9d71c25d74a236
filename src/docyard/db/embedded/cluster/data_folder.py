"""Creation of a data folder, and its settings."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from docyard.db.embedded.address import SUPERUSER
from docyard.db.embedded.cluster.account import Account
from docyard.db.embedded.cluster.binaries import Binaries
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import write_private
from docyard.db.embedded.parent_death import make_parent_death_handler
from docyard.db.embedded.waits import wait_until

_SETTINGS_FILE = "docyard.conf"
# The environment is not inherited: PGPORT, PGDATA or another locale would change the programs' behaviour.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_STATISTICS = "pg_stat_statements"
_CLEANUP_SECONDS = 10.0
_INITDB_OPTIONS = (
    *("-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
    *("-A", "scram-sha-256"),
)


def create_cluster(data: Path, binaries: Binaries, account: Account, password: str) -> None:
    """Create a cluster in a temporary folder and rename it, so that a kill leaves no incomplete cluster."""
    _remove_drafts(data)
    draft = Path(tempfile.mkdtemp(prefix=_draft_prefix(data), dir=data.parent))
    try:
        password_file = draft / "password"
        write_private(password_file, password)
        account.take_ownership(password_file)
        account.take_ownership(draft)
        _initdb(draft / "data", binaries, account, password_file)
        with (draft / "data" / "postgresql.conf").open("a") as file:
            file.write(
                "\n# The included file is rewritten at each start; ALTER SYSTEM takes precedence over it."
                f"\ninclude '{_SETTINGS_FILE}'\n"
            )
        write_settings(draft / "data", binaries, account)
        (draft / "data").rename(data)
        _fsync_folder(data.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_settings(data: Path, binaries: Binaries, account: Account) -> None:
    """Write the settings file of the cluster."""
    path = data / _SETTINGS_FILE
    write_private(path, "\n".join(_list_settings(binaries)) + "\n")
    account.take_ownership(path)


def generate_password() -> str:
    """Return a random password."""
    return secrets.token_urlsafe(24)


def set_password(data: Path, binaries: Binaries, account: Account, password: str) -> None:
    """Set the password of the superuser; the server must be stopped."""
    command = [binaries.program_path("postgres"), "--single", "-D", str(data), "postgres"]
    _run(command, account, stdin=f"ALTER ROLE {SUPERUSER} PASSWORD '{password}';\n")


def _list_settings(binaries: Binaries) -> Iterator[str]:
    yield "shared_buffers = 256MB"
    yield "max_connections = 100"
    yield "work_mem = 8MB"
    yield "random_page_cost = 1.1"
    # The queries are short: compiling them costs more than it saves.
    yield "jit = off"
    yield "timezone = 'UTC'"
    yield "log_timezone = 'UTC'"
    yield "log_line_prefix = '%m [%p] '"
    if binaries.has_library(_STATISTICS):
        yield f"shared_preload_libraries = '{_STATISTICS}'"


def _initdb(data: Path, binaries: Binaries, account: Account, password_file: Path) -> None:
    command = [binaries.program_path("initdb"), "-D", str(data), "-U", SUPERUSER, f"--pwfile={password_file}"]
    _run([*command, *_INITDB_OPTIONS], account)


def _run(command: list[str], account: Account, stdin: str = "") -> None:
    done = subprocess.run(
        command,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        env=ENVIRONMENT,
        preexec_fn=make_parent_death_handler(),
        **account.popen_options(),
    )
    if done.returncode:
        raise EmbeddedServerError(f"{Path(command[0]).name} failed:\n{done.stdout.strip()[-2000:]}")


def _draft_prefix(data: Path) -> str:
    return f"{data.name}.new-"


def _fsync_folder(folder: Path) -> None:
    """Make renames in a folder durable, so that the data keeps its final name after a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_drafts(data: Path) -> None:
    for draft in data.parent.glob(f"{_draft_prefix(data)}*"):
        # An initdb whose guardian was killed may still write for a moment, so removal is retried.
        wait_until(partial(_try_remove, draft), _CLEANUP_SECONDS)


def _try_remove(draft: Path) -> bool:
    shutil.rmtree(draft, ignore_errors=True)
    return not draft.exists()
