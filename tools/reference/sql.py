"""docs/reference/sql.md, from the catalog of a new database."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.db import Connection
from tools.reference.markdown import table

HEAD = """# SQL views and functions

Programs and operators use these views and functions; [Use Docyard from SQL](../how-to/use-sql.md) shows
how. `psql` shows the same descriptions with `\\d+` and `\\df+`. Other tables and functions may change with
any release.

The owner of the database sees every workspace. The role `docyard_web` sees one workspace, which its
transaction sets with `set_config('docyard.workspace', …, true)`, and may not call the functions.
"""
VIEWS = (
    "source_documents",
    "document_processing_queue",
    "extraction_jobs",
    "extracted_attachments",
    "queue_health_status",
    "stuck_documents",
)
FUNCTIONS = ("get_or_create_project", "reset_failed_documents_for_retry", "update_queue_status_with_history")
_VIEW = "SELECT coalesce(obj_description(%s::regclass, 'pg_class'), '') AS comment"
_COLUMNS = """
SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    coalesce(col_description(a.attrelid, a.attnum), '') AS comment
FROM pg_attribute a WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_SIGNATURES = """
SELECT pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
    coalesce(obj_description(p.oid, 'pg_proc'), '') AS comment
FROM pg_proc p WHERE p.proname = %s AND p.pronamespace = 'public'::regnamespace ORDER BY 1
"""


def render(conn: Connection) -> str:
    """Return the page."""
    return HEAD + "".join((*_views(conn), *_functions(conn)))


def _views(conn: Connection) -> Iterator[str]:
    for view in VIEWS:
        comment = "".join(row["comment"] for row in conn.execute(_VIEW, (view,)))
        rows = [(f"`{row['name']}`", row["type"], row["comment"]) for row in conn.execute(_COLUMNS, (view,))]
        yield f"\n## {view}\n\n{comment}\n" + table(["column", "type", "meaning"], rows)


def _functions(conn: Connection) -> Iterator[str]:
    for function in FUNCTIONS:
        yield f"\n## {function}\n"
        for row in conn.execute(_SIGNATURES, (function,)):
            yield f"\n    {function}({row['arguments']}) → {row['result']}\n\n{row['comment']}\n"
