"""docyard process: read files without a queue or database."""
