"""docs/reference/settings.md, from the definitions of the settings."""

from __future__ import annotations

from dataclasses import fields

from docyard.settings import PREFIX, Settings
from tools.reference.markdown import table

HEAD = """# Settings

Docyard reads its settings from environment variables when a command starts.
"""


def render() -> str:
    """Return the page."""
    rows = [
        (f"`{PREFIX}{spec.name.upper()}`", _shown(spec.default), str(spec.metadata["meaning"]))
        for spec in fields(Settings)
    ]
    return HEAD + table(["variable", "default", "meaning"], rows)


def _shown(default: object) -> str:
    return "" if default == "" else f"`{str(default).lower() if isinstance(default, bool) else default}`"
