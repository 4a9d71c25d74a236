"""Fail on files, functions, folders and names that have grown past what a reader can hold, and on tests that
import other tests.

`--verbose` also lists what is merely longer than we aim for.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests")
FILE_LIMIT, FILE_AIM = 400, 120
FUNCTION_LIMIT, FUNCTION_AIM = 40, 12
FOLDER_LIMIT, FOLDER_AIM = 20, 15  # modules; a folder is read like a table of contents
# Folders above the aim, each with the reason why it is not split.
LARGE_FOLDERS = {
    "src/docyard/facts/notation": "one file for each notation, with its words in a data file of that name",
    "src/docyard/model": "one file for each kind of value, and all others import it by that name",
    "src/docyard/pipeline": "the road and its steps; what has a neighbour is in children or storage already",
    "src/docyard/readers/pdf": "parts of one reader, a file for each thing that it finds on a page",
    "src/docyard/worker/duties": "one file for each duty, so that the folder is the list of duties",
    "tests/queue/jobs": "one file for each thing that can be done to a job, with three that they share",
}
# A name that says nothing attracts everything.
POCKETS = {"utils", "util", "helpers", "helper", "common", "manager", "service"}


class Size(NamedTuple):
    what: str
    lines: int
    limit: int
    aim: int
    unit: str = "lines"

    def __str__(self) -> str:
        return f"{self.what}: {self.lines} {self.unit} (limit {self.limit}, aim {self.aim})"


def main() -> None:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    sizes = [*(size for path in files for size in measure(path)), *folders(files)]
    faults = [str(size) for size in sizes if size.lines > size.limit]
    faults += [*unexplained(files), *pockets(files), *shared_tests(files)]
    if "--verbose" in sys.argv[1:]:
        print(*(f"long: {size}" for size in sizes if size.aim < size.lines <= size.limit), sep="\n")
    if faults:
        sys.exit("\n".join(faults))
    print(f"Sizes and names: {len(files)} files are within the limits.")


def measure(path: Path) -> Iterator[Size]:
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT)
    yield Size(str(name), len(text.splitlines()), FILE_LIMIT, FILE_AIM)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Size(f"{name}:{node.lineno} {node.name}", lines, FUNCTION_LIMIT, FUNCTION_AIM)


def folders(files: list[Path]) -> Iterator[Size]:
    counts = Counter(path.parent for path in files)
    for folder, modules in counts.items():
        yield Size(f"{folder.relative_to(ROOT)}/", modules, FOLDER_LIMIT, FOLDER_AIM, "modules")


def unexplained(files: list[Path]) -> Iterator[str]:
    """Folders above the aim without a reason, and reasons that are no longer needed."""
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in files)
    for folder, modules in sorted(counts.items()):
        if modules > FOLDER_AIM and folder not in LARGE_FOLDERS:
            yield f"{folder}: {modules} modules; split it, or say in LARGE_FOLDERS why not (aim {FOLDER_AIM})"
        elif modules <= FOLDER_AIM and folder in LARGE_FOLDERS:
            yield f"{folder}: {modules} modules need no reason in LARGE_FOLDERS (aim {FOLDER_AIM})"


def shared_tests(files: list[Path]) -> Iterator[str]:
    """A test that others import cannot be changed or removed by itself; what they share has a module."""
    for path in files:
        if path.is_relative_to(ROOT / "tests") and any(map(is_test, imported(path))):
            yield f"{path.relative_to(ROOT)}: imports another test; move what both use to a module of its own"


def imported(path: Path) -> Iterator[str]:
    """Modules that a file imports, and names that it imports from them, which may be modules too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_test(name: str) -> bool:
    return name.startswith(("tests.", ".")) and any(part.startswith("test_") for part in name.split("."))


def pockets(files: list[Path]) -> Iterator[str]:
    names = {part for path in files for part in path.relative_to(ROOT).with_suffix("").parents}
    names |= {path.relative_to(ROOT).with_suffix("") for path in files}
    for name in sorted(names):
        if name.name in POCKETS:
            yield f"{name}: name it after what it does, not '{name.name}'"


if __name__ == "__main__":
    main()
