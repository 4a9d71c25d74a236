"""Check the sizes of files, functions and folders; find vague names and tests that import other tests.

`--verbose` also lists items that are within the limit but larger than intended.
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
FOLDER_LIMIT, FOLDER_AIM = 20, 15  # modules
# Folders above the aim, each with the reason why it is not split.
LARGE_FOLDERS = {
    "src/docyard/facts/notation": "one module for each notation, next to its data file",
    "src/docyard/model": "one module for each kind of value",
    "src/docyard/pipeline": "the run of a document and its steps; children and storage are folders already",
    "src/docyard/readers/pdf": "parts of one reader, one module for each element of a page",
    "src/docyard/store": "one module for each kind of stored thing; blobs and graph are folders already",
    "src/docyard/worker": "the parts of one worker process; duties are a folder already",
    "src/docyard/worker/duties": "one module for each duty, so that the folder lists the duties",
    "tests/queue/jobs": "one module for each operation on a job, and three shared modules",
}
# Modules with such names collect unrelated code.
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "service"}


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
    sizes = [*(size for path in files for size in measure_file(path)), *measure_folders(files)]
    errors = [str(size) for size in sizes if size.lines > size.limit]
    errors += [*find_unexplained_folders(files), *find_vague_names(files), *find_shared_tests(files)]
    if "--verbose" in sys.argv[1:]:
        print(*(f"long: {size}" for size in sizes if size.aim < size.lines <= size.limit), sep="\n")
    if errors:
        sys.exit("\n".join(errors))
    print(f"Sizes and names: {len(files)} files are within the limits.")


def measure_file(path: Path) -> Iterator[Size]:
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT)
    yield Size(str(name), len(text.splitlines()), FILE_LIMIT, FILE_AIM)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Size(f"{name}:{node.lineno} {node.name}", lines, FUNCTION_LIMIT, FUNCTION_AIM)


def measure_folders(files: list[Path]) -> Iterator[Size]:
    counts = Counter(path.parent for path in files)
    for folder, modules in counts.items():
        yield Size(f"{folder.relative_to(ROOT)}/", modules, FOLDER_LIMIT, FOLDER_AIM, "modules")


def find_unexplained_folders(files: list[Path]) -> Iterator[str]:
    """Yield folders above the aim without a reason, and reasons that are no longer needed."""
    counts = Counter(path.parent.relative_to(ROOT).as_posix() for path in files)
    for folder, modules in sorted(counts.items()):
        if modules > FOLDER_AIM and folder not in LARGE_FOLDERS:
            yield f"{folder}: {modules} modules; split it, or add it to LARGE_FOLDERS (aim {FOLDER_AIM})"
        elif modules <= FOLDER_AIM and folder in LARGE_FOLDERS:
            yield f"{folder}: {modules} modules need no reason in LARGE_FOLDERS (aim {FOLDER_AIM})"


def find_shared_tests(files: list[Path]) -> Iterator[str]:
    """Yield tests that import other tests; shared code belongs in a separate module."""
    for path in files:
        if path.is_relative_to(ROOT / "tests") and any(map(is_test, list_imports(path))):
            yield f"{path.relative_to(ROOT)}: imports another test; move the shared code to a separate module"


def list_imports(path: Path) -> Iterator[str]:
    """Yield the imports of a file as dotted names; for a name imported from a module, include the module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_test(name: str) -> bool:
    return name.startswith(("tests.", ".")) and any(part.startswith("test_") for part in name.split("."))


def find_vague_names(files: list[Path]) -> Iterator[str]:
    names = {part for path in files for part in path.relative_to(ROOT).with_suffix("").parents}
    names |= {path.relative_to(ROOT).with_suffix("") for path in files}
    for name in sorted(names):
        if name.name in VAGUE_NAMES:
            yield f"{name}: choose a name that describes its contents, not '{name.name}'"


if __name__ == "__main__":
    main()
