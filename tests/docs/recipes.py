"""Copies of the project, changed as the code blocks of a how-to page describe."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(python|diff) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Copy:
    """A copy of the project."""

    folder: Path

    def run(self, *command: str, **environ: str) -> str:
        """Run Python in the copy, assert that it succeeds, and return its output."""
        paths = os.pathsep.join((str(self.folder / "src"), str(self.folder)))
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": paths, **environ},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def test(self, file: str) -> None:
        """Run one test file of the copy, without the conftest modules of the project."""
        self.run("-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", file)


def apply_page(page: str, folder: Path) -> Copy:
    """Apply the code blocks of a how-to page to a copy of the project."""
    for part in ("src", "tests", "docs", "pyproject.toml"):
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    blocks = _BLOCK.findall((ROOT / "docs" / "how-to" / page).read_text())
    assert blocks
    for kind, path, text in blocks:
        _write(folder / path, text) if kind == "python" else _patch(folder / path, text)
    return Copy(folder)


def _write(path: Path, text: str) -> None:
    assert not path.exists(), f"{path} already exists"
    path.write_text(text)


def _patch(path: Path, diff: str) -> None:
    """Apply a small diff; its old lines must occur in the file exactly once."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    text = path.read_text()
    assert text.count(before) == 1, f"{path.name} has these lines {text.count(before)} times:\n{before}"
    path.write_text(text.replace(before, after))
