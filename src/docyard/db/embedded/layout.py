"""The paths of the embedded server's files below HOME, and functions to read and write them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import is_disk_full

_PRIVATE_FOLDER = 0o700


@dataclass(frozen=True, slots=True)
class Layout:
    """The files shared by the guardian and the attached processes."""

    home: Path

    @classmethod
    def for_home(cls, home: Path) -> Layout:
        """Return the layout of `home`; links are resolved, so that all paths to a folder share its locks."""
        return cls(home.expanduser().resolve())

    @property
    def folder(self) -> Path:
        """The private folder, HOME/postgres."""
        return self.home / "postgres"

    @property
    def guardian_lock(self) -> Path:
        """The lock file that the guardian holds while it runs; it contains the guardian's pid."""
        return self.folder / "guardian.lock"

    @property
    def users_lock(self) -> Path:
        """The lock file that attached processes share; the guardian locks it to stop an idle server."""
        return self.folder / "users.lock"

    @property
    def address(self) -> Path:
        """The address of the running server, as JSON."""
        return self.folder / "server.json"

    @property
    def port(self) -> Path:
        """The file that contains the port of the last server, which the next one reuses if possible."""
        return self.folder / "port"

    @property
    def password(self) -> Path:
        """The file that contains the password of the superuser."""
        return self.folder / "password"

    @property
    def error(self) -> Path:
        """The file that contains the error that ended the last guardian."""
        return self.folder / "guardian.error"

    @property
    def guardian_log(self) -> Path:
        """The log of the guardian."""
        return self.folder / "guardian.log"

    @property
    def server_log(self) -> Path:
        """The log of PostgreSQL."""
        return self.folder / "server.log"

    @property
    def data_record(self) -> Path:
        """The file that contains the path of a data folder outside HOME."""
        return self.folder / "data-folder"

    @property
    def data_at_home(self) -> Path:
        """The data folder in HOME, outside the private folder, which only the owner of HOME can enter."""
        return self.home / "postgres-data"

    def make_folder(self) -> None:
        """Create the private folder."""
        self.folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically with one that only its owner can read."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)  # it may have filled the disk
        raise


def read_text(path: Path) -> str | None:
    """Return the text of a file, or None if it does not exist."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return None


def read_last_lines(path: Path, count: int = 12) -> str:
    """Return the last lines of a log, or an empty string if it does not exist."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 8192))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-count:])


def rotate_log(path: Path, limit: int = 10_000_000) -> None:
    """Move the text of a log larger than `limit` bytes to an old file, replacing the previous one.

    The log is truncated in place, because its writer has it open. If the disk is full, its text is lost.
    """
    try:
        if path.stat().st_size <= limit:
            return
    except FileNotFoundError:
        return
    try:
        write_private(path.with_suffix(".log.1"), path.read_text(errors="replace"))
    except OSError as error:
        if not is_disk_full(error):
            raise
    os.truncate(path, 0)
