"""Title, summary and key words of a document."""
