"""Spreadsheets and tables written as text."""
