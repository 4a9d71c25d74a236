"""Texts of SVG drawings, which are parsed as HTML so that nothing is loaded and no entity is expanded."""

from __future__ import annotations

from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_html


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the titles, descriptions and texts in document order."""
    found = html_blocks.find_texts(decode_html(path.read_bytes()), "svg title, svg desc, svg text")
    title = next((text for tag, text in found if tag == "title"), None)
    return markdown.build_extracted([text for _, text in found], limits, title=title)
