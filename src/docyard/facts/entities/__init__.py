"""Mentions: names, dates, amounts and numbers in a text, each with its span, normal form and confidence."""
