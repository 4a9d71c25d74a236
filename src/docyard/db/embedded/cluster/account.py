"""PostgreSQL refuses to run as root: the account that runs it instead, and what that account can reach."""

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
    """Who runs PostgreSQL; `dropped` when that is not whoever started us."""

    name: str
    uid: int
    gid: int
    dropped: bool

    def popen_options(self) -> dict[str, Any]:
        """Options with which subprocess becomes this account before it runs the program."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.dropped else {}

    def own(self, path: Path) -> None:
        if self.dropped:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, folder: Path) -> bool:
        """Tried for real, because mode bits alone do not tell (access lists, mounts)."""
        return self._succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)])

    def can_run(self, program: Path) -> bool:
        return self._succeeds([str(program), "--version"])

    def _succeeds(self, command: list[str]) -> bool:
        try:
            done = subprocess.run(command, capture_output=True, check=False, cwd="/", **self.popen_options())
        except OSError:
            # Out of reach, or not there at all.
            return False
        return done.returncode == 0


def account_for(data: Path) -> Account:
    """The owner of existing data, else ourselves, else (as root) the first candidate there is."""
    if os.geteuid() != 0:
        return Account("", os.geteuid(), os.getegid(), dropped=False)
    if data.exists() and (owner := data.stat().st_uid) != 0:
        return _by_uid(owner, data)
    return default_account()


def default_account() -> Account:
    if os.geteuid() != 0:
        return Account("", os.geteuid(), os.getegid(), dropped=False)
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid, dropped=True)
    raise EmbeddedServerError(
        "PostgreSQL does not run as root, and this machine has neither a user 'postgres' nor 'nobody'. "
        "Start Docyard as an ordinary user."
    )


def _by_uid(uid: int, data: Path) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise EmbeddedServerError(
            f"{data} belongs to user number {uid}, who is unknown here; give it to a user who exists."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, dropped=True)
