"""docs/quality.md: each evaluation writes its own sections and leaves the others as they are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "quality.md"
_HEAD = """# Quality and speed on real documents

Written by `make eval CORPUS=folder`; intervals hold with 95 % certainty.
"""


def put(name: str, title: str, body: str, page: Path = PAGE) -> None:
    """Put a section in place of an older one of that name, or at the end."""
    text = page.read_text() if page.exists() else _HEAD
    section = f"<!-- {name} -->\n## {title}\n\n{body.strip()}\n<!-- end of {name} -->\n"
    old = re.compile(rf"<!-- {re.escape(name)} -->\n.*?<!-- end of {re.escape(name)} -->\n", re.DOTALL)
    text = old.sub(lambda _: section, text) if old.search(text) else f"{text.rstrip()}\n\n{section}"
    page.write_text(text)
