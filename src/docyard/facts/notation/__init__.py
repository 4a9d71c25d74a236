"""Notations of dates, amounts, names and addresses, shared by fields, mentions and entities."""
