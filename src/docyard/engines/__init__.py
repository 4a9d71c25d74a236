"""Readers of files, as plain functions from bytes to values; they run inside confined children."""
