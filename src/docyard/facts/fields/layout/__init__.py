"""The pages of a document as text, rows, columns and labels."""
