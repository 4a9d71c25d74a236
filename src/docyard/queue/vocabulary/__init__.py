"""The SQL vocabulary: views, doors and functions for operators and outside programs; see docs/reference/sql.md."""
