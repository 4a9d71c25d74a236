"""Making a data folder: whole or not at all, and its settings."""

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
from docyard.db.embedded.parent_death import die_with_parent
from docyard.db.embedded.waits import wait_until

_SETTINGS_FILE = "docyard.conf"
# The environment is not inherited: PGPORT, PGDATA or a foreign locale would change what the programs do.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_STATISTICS = "pg_stat_statements"
_SWEEP_SECONDS = 10.0
_INITDB_OPTIONS = (
    *("-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
    *("-A", "scram-sha-256"),
)


def create_cluster(data: Path, binaries: Binaries, account: Account, password: str) -> None:
    """initdb beside the final place, then one rename: a kill in between leaves only rubbish."""
    _sweep_drafts(data)
    draft = Path(tempfile.mkdtemp(prefix=_draft_prefix(data), dir=data.parent))
    try:
        password_file = draft / "password"
        write_private(password_file, password)
        account.own(password_file)
        account.own(draft)
        _initdb(draft / "data", binaries, account, password_file)
        with (draft / "data" / "postgresql.conf").open("a") as file:
            file.write(
                f"\n# Rewritten at every start; ALTER SYSTEM wins over it.\ninclude '{_SETTINGS_FILE}'\n"
            )
        write_settings(draft / "data", binaries, account)
        (draft / "data").rename(data)
        _make_durable(data.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_settings(data: Path, binaries: Binaries, account: Account) -> None:
    path = data / _SETTINGS_FILE
    write_private(path, "\n".join(_settings(binaries)) + "\n")
    account.own(path)


def new_password() -> str:
    return secrets.token_urlsafe(24)


def set_password(data: Path, binaries: Binaries, account: Account, password: str) -> None:
    """Give a cluster whose password file was lost a new one; the server must be down."""
    command = [binaries.program("postgres"), "--single", "-D", str(data), "postgres"]
    _run(command, account, told=f"ALTER ROLE {SUPERUSER} PASSWORD '{password}';\n")


def _settings(binaries: Binaries) -> Iterator[str]:
    yield "shared_buffers = 256MB"
    yield "max_connections = 100"
    yield "work_mem = 8MB"
    yield "random_page_cost = 1.1"
    # Compiling costs our short queries more than it saves them.
    yield "jit = off"
    yield "timezone = 'UTC'"
    yield "log_timezone = 'UTC'"
    yield "log_line_prefix = '%m [%p] '"
    if binaries.has_library(_STATISTICS):
        yield f"shared_preload_libraries = '{_STATISTICS}'"


def _initdb(data: Path, binaries: Binaries, account: Account, password_file: Path) -> None:
    command = [binaries.program("initdb"), "-D", str(data), "-U", SUPERUSER, f"--pwfile={password_file}"]
    _run([*command, *_INITDB_OPTIONS], account)


def _run(command: list[str], account: Account, told: str = "") -> None:
    done = subprocess.run(
        command,
        input=told,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        env=ENVIRONMENT,
        preexec_fn=die_with_parent(),
        **account.popen_options(),
    )
    if done.returncode:
        raise EmbeddedServerError(f"{Path(command[0]).name} failed:\n{done.stdout.strip()[-2000:]}")


def _draft_prefix(data: Path) -> str:
    return f"{data.name}.new-"


def _make_durable(folder: Path) -> None:
    """Without this a power cut could bring the draft's name back, and the next start would sweep it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sweep_drafts(data: Path) -> None:
    for draft in data.parent.glob(f"{_draft_prefix(data)}*"):
        # An initdb whose guardian was killed writes on until it notices.
        wait_until(partial(_removed, draft), _SWEEP_SECONDS)


def _removed(draft: Path) -> bool:
    shutil.rmtree(draft, ignore_errors=True)
    return not draft.exists()
