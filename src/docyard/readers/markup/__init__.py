"""HTML, SVG, EPUB, and data shown as text."""
