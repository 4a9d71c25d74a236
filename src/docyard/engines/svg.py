"""Drawings in SVG: the words in them; read as web pages are, so nothing is loaded and no entity resolved."""

from __future__ import annotations

from pathlib import Path

from docyard.engines import html_blocks, markdown
from docyard.engines.web_page import decode_html
from docyard.model.limits import Limits
from docyard.model.values import Extracted


def read(path: Path, limits: Limits) -> Extracted:
    """Titles, descriptions and texts in the order in which they are written."""
    words = html_blocks.texts(decode_html(path.read_bytes()), "svg title, svg desc, svg text")
    title = next((text for tag, text in words if tag == "title"), None)
    return markdown.extracted([text for _, text in words], limits, title=title)
