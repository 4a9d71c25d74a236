"""The registry, the stages' results, people and blobs: everything that is kept."""
