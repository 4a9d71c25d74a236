"""The pages below docs/reference, generated from the code."""
