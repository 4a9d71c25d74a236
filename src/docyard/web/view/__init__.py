"""Presentation: template rendering, labels, highlights and charts."""
