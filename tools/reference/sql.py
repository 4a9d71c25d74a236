"""docs/reference/sql.md, from the catalog of a new database."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.db import Connection
from tools.reference.markdown import table

HEAD = """# SQL views and functions

These are for programs that use SQL and for operators in `psql`; [Use Docyard from SQL](../how-to/use-sql.md)
shows them in use. Other tables and functions may change with any release. The owner of the database sees
every workspace; the role `docyard_web` sees the one that its transaction has set with
`set_config('docyard.workspace', …, true)`.
"""
VIEWS = (
    "source_documents",
    "document_processing_queue",
    "extraction_jobs",
    "extracted_attachments",
    "queue_health_status",
    "stuck_documents",
)
FUNCTIONS = (
    "get_or_create_project",
    "reset_failed_documents_for_retry",
    "update_queue_status_with_history",
)
_COLUMNS = """
SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
FROM pg_attribute a WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_SIGNATURES = """
SELECT pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result
FROM pg_proc p WHERE p.proname = %s AND p.pronamespace = 'public'::regnamespace ORDER BY 1
"""


def render(conn: Connection) -> str:
    """Return the page."""
    return HEAD + "".join((*_views(conn), *_functions(conn)))


def _views(conn: Connection) -> Iterator[str]:
    for view in VIEWS:
        rows = [(f"`{row['name']}`", row["type"]) for row in conn.execute(_COLUMNS, (view,))]
        yield f"\n## {view}\n" + table(["column", "type"], rows)


def _functions(conn: Connection) -> Iterator[str]:
    for function in FUNCTIONS:
        rows = conn.execute(_SIGNATURES, (function,)).fetchall()
        signatures = "".join(f"    {function}({row['arguments']}) → {row['result']}\n" for row in rows)
        yield f"\n## {function}\n\n{signatures}"
