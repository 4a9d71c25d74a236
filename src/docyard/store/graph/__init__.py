"""Entities, merges, and candidates for merges."""
