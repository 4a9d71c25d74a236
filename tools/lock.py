"""Regenerate the pinned, hashed requirements files from pyproject.toml.

uv runs from a throw-away environment, so the project's own environment never contains it.
Pins that still fit are kept; `--upgrade` takes the newest versions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = ROOT / "requirements"
HEADER = "# Pinned with hashes from pyproject.toml. Do not edit: run `make lock`.\n"
# Listed although pip brings its own: the editable install builds without isolation, hence offline.
BUILD = ["setuptools>=77"]
# No header and no index: a lock file must name neither the machine nor the registry it came from.
COMPILE = [
    "pip", "compile", "-", "--quiet", "--universal", "--generate-hashes", "--python-version", "3.11",
    "--no-header", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate",
]  # fmt: skip
UNWANTED = re.compile(r"://|--index-url|--extra-index-url|--find-links|file:|(^|\s)/\w")


def main() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    bare_names = set(config["tool"]["docyard"]["lock"]["bare"])
    wanted: list[str] = config["project"]["dependencies"]
    bare = [line for line in wanted if name_of(line) in bare_names]
    run = [line for line in wanted if name_of(line) not in bare_names] + BUILD
    with tempfile.TemporaryDirectory() as folder:
        uv = install_uv(Path(folder))
        compile_to("run.txt", uv, run)
        compile_to("bare.txt", uv, bare, "--no-deps")
        # The tests must run on the very versions that people run.
        compile_to("test.txt", uv, run + config["dependency-groups"]["test"], "-c", str(LISTS / "run.txt"))


def name_of(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()


def install_uv(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "uv"], check=True)
    return folder / "bin" / "uv"


def compile_to(name: str, uv: Path, lines: Sequence[str], *options: str) -> None:
    """uv keeps the pins it finds in its output, so it works on a copy, checked before it counts."""
    draft = uv.parent / name
    if (LISTS / name).exists():
        shutil.copy(LISTS / name, draft)
    command = [str(uv), *COMPILE, *options, *sys.argv[1:], "-o", str(draft)]
    subprocess.run(
        command, cwd=ROOT, input="\n".join(lines), text=True, stdout=subprocess.DEVNULL, check=True
    )
    pinned = draft.read_text(encoding="utf-8")
    if UNWANTED.search(pinned):
        sys.exit(f"requirements/{name} would name an address or a path; not written.")
    (LISTS / name).write_text(HEADER + pinned, encoding="utf-8")


if __name__ == "__main__":
    main()
