"""HTML, SVG, EPUB, and data such as JSON and XML as text."""
