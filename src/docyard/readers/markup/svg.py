"""Drawings in SVG: the words in them; read as web pages are, so nothing is loaded and no entity resolved."""

from __future__ import annotations

from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html


def read(path: Path, limits: Limits) -> Extracted:
    """Titles, descriptions and texts in the order in which they are written."""
    words = html_blocks.texts(decode_html(path.read_bytes()), "svg title, svg desc, svg text")
    title = next((text for tag, text in words if tag == "title"), None)
    return markdown.extracted([text for _, text in words], limits, title=title)
