"""PostgreSQL: connections, the schema and its migrations, and queries kept in .sql files."""

from docyard.db.connections import Connection, Database
from docyard.db.lock_retries import patiently, wait_briefly
from docyard.db.migrate import migrate
from docyard.db.queries import Queries
from docyard.db.schema import may_read_ledgers, require_schema, schema_version

__all__ = [
    "Connection",
    "Database",
    "Queries",
    "may_read_ledgers",
    "migrate",
    "patiently",
    "require_schema",
    "schema_version",
    "wait_briefly",
]
