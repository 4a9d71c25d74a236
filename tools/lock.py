"""Generate the pinned, hashed requirements files from pyproject.toml.

uv runs in a temporary environment, so that it is not part of the project's environment.
Pins that are still valid are kept; `--upgrade` selects the newest versions.
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
# Pinned too, because the editable install is built without isolation, so that it works offline.
BUILD = ["setuptools>=77"]
# Without header and index, because a lock file must not contain local paths or URLs of a package index.
COMPILE = [
    "pip", "compile", "-", "--quiet", "--universal", "--generate-hashes", "--python-version", "3.11",
    "--no-header", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate",
]  # fmt: skip
FORBIDDEN = re.compile(r"://|--index-url|--extra-index-url|--find-links|file:|(^|\s)/\w")


def main() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    bare_names = set(config["tool"]["docyard"]["lock"]["bare"])
    dependencies: list[str] = config["project"]["dependencies"]
    bare = [line for line in dependencies if parse_name(line) in bare_names]
    run = [line for line in dependencies if parse_name(line) not in bare_names] + BUILD
    with tempfile.TemporaryDirectory() as folder:
        uv = install_uv(Path(folder))
        compile_to("run.txt", uv, run)
        compile_to("bare.txt", uv, bare, "--no-deps")
        # The tests must use the same versions as an installation.
        compile_to("test.txt", uv, run + config["dependency-groups"]["test"], "-c", str(LISTS / "run.txt"))


def parse_name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()


def install_uv(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", "uv"], check=True)
    return folder / "bin" / "uv"


def compile_to(name: str, uv: Path, lines: Sequence[str], *options: str) -> None:
    """Compile a requirements file; uv updates a copy, which replaces the file if it has no URL or path."""
    draft = uv.parent / name
    if (LISTS / name).exists():
        shutil.copy(LISTS / name, draft)
    command = [str(uv), *COMPILE, *options, *sys.argv[1:], "-o", str(draft)]
    subprocess.run(command, cwd=ROOT, input="\n".join(lines), text=True, stdout=subprocess.DEVNULL, check=True)
    pinned = draft.read_text(encoding="utf-8")
    if FORBIDDEN.search(pinned):
        sys.exit(f"requirements/{name} was not written, because it would contain a URL or a path.")
    (LISTS / name).write_text(HEADER + pinned, encoding="utf-8")


if __name__ == "__main__":
    main()
