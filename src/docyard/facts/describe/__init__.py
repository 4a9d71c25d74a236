"""Title, summary and keywords of a document."""
