"""The texts of the project: docstrings, comments, messages, test names, pages and documents.

`python -m tools.prose 100 SEED` prints a random sample of 100 docstrings, comments, messages and page texts.
"""

from __future__ import annotations

import ast
import io
import random
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CODE = ("src", "tests", "eval", "bench", "tools", "training")
_DIRECTIVE = re.compile(r"#\s*(?:type:|noqa|fmt:|pragma)")
_MESSAGE = re.compile(r"[A-Za-z]\w+[ ,.:].*[a-z]{2}")
_TAG = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}|<script.*?</script>|<[^>]*>", re.DOTALL)
_SQL_COMMENT = re.compile(r"^\s*-- (?!name:|requires:)(.*)$", re.MULTILINE)
_JS_COMMENT = re.compile(r"^\s*(?://|\*|/\*\*?)\s?(.*?)(?:\*/)?$", re.MULTILINE)
_MARKDOWN_CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|^ {4}.*$", re.DOTALL | re.MULTILINE)


class Text(NamedTuple):
    """A text, its kind, and its position in a file."""

    path: Path
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} [{self.kind}] {self.text}"


def collect() -> Iterator[Text]:
    """Yield the docstrings, comments, messages, test names, page texts and document lines of the project."""
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _read_python(path)
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in _READERS:
            yield from _READERS[path.suffix](path)
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        yield from _read_markdown(path)


def _read_python(path: Path) -> Iterator[Text]:
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = [Text(path, *found) for node in nodes for found in _read_docstring(node)]
    yield from docstrings
    if "tests" in path.parts:  # strings in tests are sample documents, not messages
        names = (node for node in nodes if isinstance(node, ast.FunctionDef))
        yield from (Text(path, node.lineno, "test", _spell(node.name)) for node in names if _is_test(node.name))
    else:
        yield from _read_messages(path, nodes, {text.line for text in docstrings})
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string):
            yield Text(path, token.start[0], "comment", token.string.lstrip("# "))


def _read_docstring(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        text = ast.get_docstring(node)
        if text:
            yield node.body[0].lineno, "docstring", text


def _read_messages(path: Path, nodes: list[ast.AST], docstrings: set[int]) -> Iterator[Text]:
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) and node.lineno not in docstrings else None
        if isinstance(node, ast.Constant) and isinstance(value, str) and _is_message(value):
            yield Text(path, node.lineno, "message", value)


def _is_message(text: str) -> bool:
    return bool(_MESSAGE.match(text)) and "\\" not in text


def _is_test(name: str) -> bool:
    return name.startswith("test_")


def _spell(name: str) -> str:
    return name.replace("_", " ")


def _read_sql(path: Path) -> Iterator[Text]:
    yield from _find(path, _SQL_COMMENT, "comment")


def _read_javascript(path: Path) -> Iterator[Text]:
    yield from _find(path, _JS_COMMENT, "comment")


def _read_page(path: Path) -> Iterator[Text]:
    source = path.read_text(encoding="utf-8")
    blanked = _TAG.sub(lambda found: re.sub(r"[^\n]", "\x00", found[0]), source)
    for number, line in enumerate(blanked.split("\n"), start=1):
        for piece in re.split(r"\x00+", line):
            if re.search(r"[A-Za-z]{2}", piece):
                yield Text(path, number, "page", " ".join(piece.split()))


def _read_markdown(path: Path) -> Iterator[Text]:
    source = path.read_text(encoding="utf-8")
    plain = _MARKDOWN_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    for number, line in enumerate(plain.split("\n"), start=1):
        if line.strip():
            yield Text(path, number, "document", " ".join(line.split()))


def _find(path: Path, pattern: re.Pattern[str], kind: str) -> Iterator[Text]:
    source = path.read_text(encoding="utf-8")
    for match in pattern.finditer(source):
        if match[1].strip():
            yield Text(path, source.count("\n", 0, match.start(1)) + 1, kind, match[1].strip())


_READERS = {".sql": _read_sql, ".js": _read_javascript, ".html": _read_page}


def main() -> None:
    """Print a random sample of the texts, except documents and test names."""
    count, seed = int(sys.argv[1]), sys.argv[2]
    texts = [text for text in collect() if text.kind not in ("document", "test")]
    for number, text in enumerate(random.Random(seed).sample(texts, count), start=1):  # noqa: S311 (not for security)
        print(f"{number:3} {text}")


if __name__ == "__main__":
    main()
