"""Relations of a document's entities to each other and to the document, each with the span that shows it."""
