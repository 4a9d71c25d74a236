"""File readers: plain functions from bytes to pages of text; they run in confined child processes."""
