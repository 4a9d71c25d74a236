"""What lies where in HOME/postgres, and how its private files are written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PRIVATE_FOLDER = 0o700


@dataclass(frozen=True, slots=True)
class Layout:
    """The files that the guardian and its users share."""

    home: Path

    @classmethod
    def of(cls, home: Path) -> Layout:
        """Two spellings of one folder must meet at the same locks, hence the real path."""
        return cls(home.expanduser().resolve())

    @property
    def folder(self) -> Path:
        return self.home / "postgres"

    @property
    def guardian_lock(self) -> Path:
        """Held by the guardian as long as it lives; its text is the guardian's pid."""
        return self.folder / "guardian.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by everyone attached; the guardian takes it alone once nobody is."""
        return self.folder / "users.lock"

    @property
    def address(self) -> Path:
        return self.folder / "server.json"

    @property
    def port(self) -> Path:
        """The port of last time, so that clients find the next server where the last one was."""
        return self.folder / "port"

    @property
    def password(self) -> Path:
        return self.folder / "password"

    @property
    def error(self) -> Path:
        return self.folder / "guardian.error"

    @property
    def guardian_log(self) -> Path:
        return self.folder / "guardian.log"

    @property
    def server_log(self) -> Path:
        return self.folder / "server.log"

    @property
    def data_record(self) -> Path:
        """Names the data folder when it could not live in HOME."""
        return self.folder / "data-folder"

    @property
    def data_at_home(self) -> Path:
        """Beside the private folder, not in it: started by root, PostgreSQL runs as someone else."""
        return self.home / "postgres-data"

    def make_folder(self) -> None:
        self.folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)


def write_private(path: Path, text: str) -> None:
    """Replace a file whole, readable by its owner alone from its first byte."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def read_text(path: Path) -> str | None:
    """A file's text, or None where there is no such file."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return None


def last_lines(path: Path, count: int = 12) -> str:
    """The end of a log that may be long or missing."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 8192))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-count:])


def trim_log(path: Path, limit: int = 10_000_000) -> None:
    """Keep one predecessor; truncated in place, because the writer keeps its descriptor (it appends)."""
    try:
        if path.stat().st_size <= limit:
            return
    except FileNotFoundError:
        return
    write_private(path.with_suffix(".log.1"), path.read_text(errors="replace"))
    os.truncate(path, 0)
