"""Spreadsheets and delimited text tables."""
