"""Saving and loading of stage values."""
