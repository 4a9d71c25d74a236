"""PostgreSQL: reaching it, its schema, and the queries kept in .sql files."""

from docyard.db.connect import Connection, Database
from docyard.db.migrate import may_read_ledgers, migrate, require_schema, schema_version
from docyard.db.queries import Queries

__all__ = [
    "Connection",
    "Database",
    "Queries",
    "may_read_ledgers",
    "migrate",
    "require_schema",
    "schema_version",
]
