-- name: ledgers
-- Which of the ledgers there are. One snapshot sees both or neither of those that another starter creates.
SELECT relname FROM pg_class WHERE relname = ANY (%(names)s) AND pg_table_is_visible(oid)

-- name: applied_migrations
-- The migrations that the database has.
SELECT version, checksum FROM schema_migrations

-- name: applied_objects
-- The object files that were applied, each with the build that did it.
SELECT name, checksum, build FROM schema_objects

-- name: newest_version
-- The newest migration that the database has, 0 without any.
SELECT coalesce(max(version), 0) AS version FROM schema_migrations

-- name: may_read_ledgers
-- Whether this role may read the ledgers that there are.
SELECT coalesce(bool_and(has_table_privilege(t, 'SELECT')), true) AS granted
FROM unnest(ARRAY[to_regclass('schema_migrations'), to_regclass('schema_objects')]) AS t WHERE t IS NOT NULL
