"""Storage of documents, stage results, facts, users and blobs."""
