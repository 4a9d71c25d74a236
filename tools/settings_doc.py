"""Write docs/settings.md from the settings themselves; a test keeps it true."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from docyard.settings import PREFIX, Settings

TARGET = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """# Settings

Read from the environment when a command starts. This page is written by `make docs`.

| variable | default | meaning |
|---|---|---|
"""


def settings_page() -> str:
    """The page as it should be."""
    rows = [
        f"| `{PREFIX}{spec.name.upper()}` | {_shown(spec.default)} | {spec.metadata['meaning']} |"
        for spec in fields(Settings)
    ]
    return HEAD + "\n".join(rows) + "\n"


def _shown(default: object) -> str:
    return "" if default == "" else f"`{str(default).lower() if isinstance(default, bool) else default}`"


if __name__ == "__main__":
    TARGET.write_text(settings_page())
