"""File readers: functions from a file to pages of text. They run in confined child processes."""
