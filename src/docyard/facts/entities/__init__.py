"""Mentions: what a document names, each with its place, normal form and confidence."""
