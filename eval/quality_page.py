"""The page docs/measurements/quality.md; each evaluation replaces its own sections and keeps the others."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "measurements" / "quality.md"
_HEADER = """# Quality and speed on real documents

Written by `make eval CORPUS=folder`. Square brackets contain 95 % confidence intervals.
"""


def put_section(name: str, title: str, body: str, page: Path = PAGE) -> None:
    """Replace the section with this name, or append it."""
    text = page.read_text() if page.exists() else _HEADER
    section = f"<!-- {name} -->\n## {title}\n\n{body.strip()}\n<!-- end of {name} -->\n"
    old = re.compile(rf"<!-- {re.escape(name)} -->\n.*?<!-- end of {re.escape(name)} -->\n", re.DOTALL)
    text = old.sub(lambda _: section, text) if old.search(text) else f"{text.rstrip()}\n\n{section}"
    page.write_text(text)
