"""PostgreSQL: connections, the schema and its migrations, and queries kept in .sql files."""

from docyard.db.bounded_connection import BoundedConnection
from docyard.db.connections import Connection, Database
from docyard.db.lock_retries import LOCK_ERRORS, retry_locked, set_lock_timeout, set_short_lock_timeout
from docyard.db.migrate import migrate
from docyard.db.queries import Queries
from docyard.db.schema import may_read_ledgers, require_schema, schema_version

__all__ = [
    "LOCK_ERRORS",
    "BoundedConnection",
    "Connection",
    "Database",
    "Queries",
    "may_read_ledgers",
    "migrate",
    "require_schema",
    "retry_locked",
    "schema_version",
    "set_lock_timeout",
    "set_short_lock_timeout",
]
