"""Word processing and presentation files, old and new."""
