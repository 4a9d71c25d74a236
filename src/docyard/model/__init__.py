"""Frozen dataclasses and constants shared by all packages, without database, file or network access."""
