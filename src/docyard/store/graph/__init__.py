"""Entities, their merges, and the candidates for merging."""
