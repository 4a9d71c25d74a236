-- name: ledgers
-- Returns the ledgers that exist. One statement reads both, so that it never sees only one while they are created.
SELECT relname FROM pg_class WHERE relname = ANY (%(names)s) AND pg_table_is_visible(oid)

-- name: applied_migrations
-- Returns the applied migrations.
SELECT version, checksum FROM schema_migrations

-- name: applied_objects
-- Returns the applied object files, each with the build that applied it.
SELECT name, checksum, build FROM schema_objects

-- name: newest_version
-- Returns the version of the newest applied migration, or 0.
SELECT coalesce(max(version), 0) AS version FROM schema_migrations

-- name: may_read_ledgers
-- Returns whether the current role may read the ledgers that exist.
SELECT coalesce(bool_and(has_table_privilege(t, 'SELECT')), true) AS granted
FROM unnest(ARRAY[to_regclass('schema_migrations'), to_regclass('schema_objects')]) AS t WHERE t IS NOT NULL
