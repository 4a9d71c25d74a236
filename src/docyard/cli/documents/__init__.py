"""Commands that act on documents."""
