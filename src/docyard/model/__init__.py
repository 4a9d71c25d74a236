"""Plain frozen values that every room may hold; no behaviour that needs a database, a file or a network."""
