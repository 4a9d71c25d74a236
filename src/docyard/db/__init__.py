"""PostgreSQL: connections, the schema and its migrations, and queries kept in .sql files."""

from docyard.db.connections import Connection, Database
from docyard.db.lock_retries import retry_locked, set_short_lock_timeout
from docyard.db.migrate import migrate
from docyard.db.queries import Queries
from docyard.db.schema import may_read_ledgers, require_schema, schema_version

__all__ = [
    "Connection",
    "Database",
    "Queries",
    "may_read_ledgers",
    "migrate",
    "require_schema",
    "retry_locked",
    "schema_version",
    "set_short_lock_timeout",
]
