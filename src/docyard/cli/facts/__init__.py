"""Commands for entities and their relations."""
