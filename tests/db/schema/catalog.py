"""The definitions of all schema objects of a database, independent of the order of creation."""

from __future__ import annotations

from docyard.db import Connection

# Objects of extensions are excluded.
_TABLES = """
SELECT 'table ' || c.relname AS name, concat_ws(' ', c.relkind, c.relrowsecurity, c.relforcerowsecurity,
    (SELECT string_agg(o, ',' ORDER BY o) FROM unnest(c.reloptions) AS o),
    (SELECT string_agg(a::text, ',' ORDER BY a::text)
     FROM unnest(coalesce(c.relacl, acldefault('r', c.relowner))) AS a),
    pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid)) AS text
FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v') AND c.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.deptype = 'e' AND e.objid = c.oid)
"""
_COLUMNS = """
SELECT 'column ' || c.relname || '.' || a.attname AS name, concat_ws(' ',
    format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
    pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attstorage,
    (SELECT collname FROM pg_collation k WHERE k.oid = a.attcollation),
    (SELECT string_agg(x::text, ',' ORDER BY x::text) FROM unnest(a.attacl) AS x),
    -- Clients of a view or composite type depend on the order of its columns.
    CASE WHEN c.relkind IN ('c', 'v') THEN a.attnum END) AS text
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p', 'v', 'c') AND c.relnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.deptype = 'e' AND e.objid = c.oid)
"""
_CONSTRAINTS = """
SELECT 'constraint ' || conrelid::regclass || '.' || conname AS name, pg_get_constraintdef(oid) AS text
FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
"""
_INDEXES = """
SELECT 'index ' || indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS text
FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE c.relnamespace = 'public'::regnamespace
"""
_FUNCTIONS = """
SELECT 'function ' || p.oid::regprocedure AS name, pg_get_functiondef(p.oid) || (
    SELECT string_agg(a::text, ',' ORDER BY a::text)
    FROM unnest(coalesce(p.proacl, acldefault('f', p.proowner))) AS a) AS text
FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.deptype = 'e' AND e.objid = p.oid)
"""
_VIEWS = "SELECT 'view ' || viewname AS name, definition AS text FROM pg_views WHERE schemaname = 'public'"
_TRIGGERS = """
SELECT 'trigger ' || tgrelid::regclass || '.' || tgname AS name, pg_get_triggerdef(oid) AS text
FROM pg_trigger WHERE NOT tgisinternal
"""
_POLICIES = """
SELECT 'policy ' || tablename || '.' || policyname AS name, concat_ws(
    ' ', permissive, roles, cmd, qual, with_check) AS text
FROM pg_policies WHERE schemaname = 'public'
"""
_TEXT_SEARCH = """
SELECT 'text search ' || c.cfgname || '.' || m.maptokentype || '.' || m.mapseqno AS name,
    m.mapdict::regdictionary::text AS text
FROM pg_ts_config c JOIN pg_ts_config_map m ON m.mapcfg = c.oid WHERE c.cfgnamespace = 'public'::regnamespace
"""
_QUERIES = (_TABLES, _COLUMNS, _CONSTRAINTS, _INDEXES, _FUNCTIONS, _VIEWS, _TRIGGERS, _POLICIES, _TEXT_SEARCH)


def read_catalog(conn: Connection) -> dict[str, str]:
    """Return the definition of every schema object, with its privileges, by kind and name."""
    rows = [row for query in _QUERIES for row in conn.execute(query.encode())]
    return {row["name"]: row["text"] for row in rows}
