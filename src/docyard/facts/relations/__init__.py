"""Relations of the entities of a document, each with the span that shows it."""
