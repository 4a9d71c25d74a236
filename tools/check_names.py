"""Check that the names and files that docstrings and comments mention exist.

A text that still mentions the old name of a function misleads its readers, and no other check detects this.
"""

from __future__ import annotations

import builtins
import io
import keyword
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.prose import CODE, ROOT, Text, collect

KINDS = {"docstring", "comment"}
_QUOTED = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)(?:\(\))?`(?!`)")
_RAISED = re.compile(r"\b[Rr]aises? ([A-Z]\w*[a-z]\w*)")
_FILE = re.compile(r"(?<![\w./*-])([\w/]+\.(?:py|sql|html|js|toml|md))\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_STRING_TOKENS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def main() -> None:
    texts = [text for text in collect() if text.kind in KINDS]
    errors = list(check(texts, list_names(), list_files()))
    if errors:
        sys.exit("\n".join(errors))
    print(f"Names: {len(texts)} texts mention only names that exist.")


def check(texts: Iterable[Text], names: set[str], files: set[str]) -> Iterator[str]:
    """Yield texts that mention a name or a file that does not exist."""
    for text in texts:
        mentioned = [*_QUOTED.findall(text.text), *_RAISED.findall(text.text)]
        unknown = [name for name in mentioned if not set(name.split(".")) <= names | files]
        unknown += [file for file in _FILE.findall(text.text) if file.rpartition("/")[2] not in files]
        if unknown:
            yield f"{text.path.relative_to(ROOT)}:{text.line} mentions {', '.join(unknown)}"


def list_names() -> set[str]:
    """Return the identifiers of the code and the words of its strings, SQL, pages and data files."""
    names = {*dir(builtins), *keyword.kwlist}
    for folder in CODE:
        for path in (ROOT / folder).rglob("*.py"):
            names |= {path.stem, *_read_names(path)}
    for pattern in ("*.sql", "*.html", "*.js", "*.toml"):
        for path in (ROOT / "src").rglob(pattern):
            names |= set(_WORD.findall(path.read_text(encoding="utf-8")))
    return names | set(_WORD.findall((ROOT / "Makefile").read_text()))


def list_files() -> set[str]:
    """Return the names of the files and folders of the project."""
    listed = {path.name for folder in (*CODE, "docs") for path in (ROOT / folder).rglob("*")}
    return listed | {path.name for path in ROOT.iterdir()}


def _read_names(path: Path) -> Iterator[str]:
    """Yield the identifiers of a module and the words of its strings, except docstrings."""
    previous = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.NAME:
            yield token.string
        elif token.type in _STRING_TOKENS and previous not in {tokenize.NEWLINE, tokenize.INDENT}:
            yield from _WORD.findall(token.string)
        if token.type not in {tokenize.NL, tokenize.COMMENT, tokenize.DEDENT}:
            previous = token.type


if __name__ == "__main__":
    main()
