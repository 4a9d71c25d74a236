"""The text of a page, the places of its words, and its structure."""
