"""Update the line numbers in docs/walk.md; a test checks that they are up to date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "walk.md"
_LINK = re.compile(r"\[`(\w+)`\]\(([^)#]+)(?:#L\d+)?\)")
_DEFINITIONS = {
    ".py": r"^ *(?:async )?(?:def|class) {0}\b|^{0}\b.*=",
    ".sql": r"^-- name: {0}$|^CREATE OR REPLACE (?:FUNCTION|TRIGGER|VIEW) {0}\b",
}


@dataclass(frozen=True)
class Link:
    """A name on the page, and the file that defines it."""

    name: str
    file: Path

    @property
    def line(self) -> int:
        """The number of the line that defines the name; raises ValueError unless there is exactly one."""
        pattern = re.compile(_DEFINITIONS[self.file.suffix].format(self.name))
        lines = self.file.read_text().splitlines()
        (number,) = (number for number, line in enumerate(lines, start=1) if pattern.search(line))
        return number


def find_links(text: str) -> list[Link]:
    """Return the links in a part of the page, in order."""
    return [Link(name, (PAGE.parent / path).resolve()) for name, path in _LINK.findall(text)]


def update_line_numbers(text: str) -> str:
    """Return the page with the current line number in each link."""

    def update(match: re.Match[str]) -> str:
        (link,) = find_links(match[0])
        return f"[`{match[1]}`]({match[2]}#L{link.line})"

    return _LINK.sub(update, text)


if __name__ == "__main__":
    PAGE.write_text(update_line_numbers(PAGE.read_text()))
