"""The account that runs PostgreSQL, which refuses to run as root."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docyard.db.embedded.errors import EmbeddedServerError

_CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """The account that runs PostgreSQL; `dropped` means that this process is root and must switch to it."""

    name: str
    uid: int
    gid: int
    dropped: bool

    def popen_options(self) -> dict[str, Any]:
        """Return options of subprocess.Popen that run a program under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.dropped else {}

    def take_ownership(self, path: Path) -> None:
        """Make this account the owner of a file or folder."""
        if self.dropped:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, folder: Path) -> bool:
        """Return whether this account can enter a folder; tested by trying, as mode bits do not show ACLs."""
        return self._succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)])

    def can_run(self, program: Path) -> bool:
        """Return whether this account can run a program."""
        return self._succeeds([str(program), "--version"])

    def _succeeds(self, command: list[str]) -> bool:
        try:
            done = subprocess.run(command, capture_output=True, check=False, cwd="/", **self.popen_options())
        except OSError:
            return False  # not accessible, or missing
        return done.returncode == 0


def find_account(data: Path) -> Account:
    """Return the current account; for root, the owner of existing data, or else the default account."""
    if os.geteuid() != 0:
        return Account("", os.geteuid(), os.getegid(), dropped=False)
    if data.exists() and (owner := data.stat().st_uid) != 0:
        return _find_owner(owner, data)
    return find_default_account()


def find_default_account() -> Account:
    """Return the current account; for root, the first of `_CANDIDATES` that exists."""
    if os.geteuid() != 0:
        return Account("", os.geteuid(), os.getegid(), dropped=False)
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid, dropped=True)
    raise EmbeddedServerError(
        "PostgreSQL does not run as root, and this machine has no user 'postgres' or 'nobody'. "
        "Start Docyard as a user other than root."
    )


def _find_owner(uid: int, data: Path) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise EmbeddedServerError(
            f"{data} belongs to the user id {uid}, which has no account on this machine."
            " Change its owner to an existing account (chown -R)."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, dropped=True)
