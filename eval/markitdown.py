"""The same files read by markitdown, where that package is installed."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from pathlib import Path


def installed() -> bool:
    """Whether it can be asked."""
    return importlib.util.find_spec("markitdown") is not None


def markdown(path: Path) -> str:
    """What it makes of a file; nothing where it fails."""
    try:
        return str(import_module("markitdown").MarkItDown().convert(str(path)).text_content)
    except Exception as error:  # noqa: BLE001 - another project's errors count as files it does not read
        print(f"markitdown: {path.name}: {error}")
        return ""
