-- name: open_migrations
-- The ledger of migrations.
CREATE TABLE schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())

-- name: open_objects
-- The ledger of object files.
CREATE TABLE schema_objects (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    build text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())

-- name: applied_migrations
-- The migrations that the database has.
SELECT version, checksum FROM schema_migrations

-- name: applied_objects
-- The object files that were applied, each with the build that did it.
SELECT name, checksum, build FROM schema_objects

-- name: newest_version
-- The newest migration that the database has, 0 without any.
SELECT coalesce(max(version), 0) AS version FROM schema_migrations

-- name: save_migration
-- Notes that a migration was applied.
INSERT INTO schema_migrations (version, name, checksum) VALUES (%(version)s, %(name)s, %(checksum)s)

-- name: save_object
-- Notes that an object file was applied, for the first time or again.
INSERT INTO schema_objects (name, checksum, build) VALUES (%(name)s, %(checksum)s, %(build)s)
ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, build = excluded.build, applied_at = now()

-- name: migrator
-- The session that holds the lock of migrations.
SELECT a.pid, a.application_name, a.client_addr
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.objid = %(lock)s AND l.granted LIMIT 1

-- name: may_read_ledgers
-- Whether this role may read the ledgers that there are.
SELECT coalesce(bool_and(has_table_privilege(t, 'SELECT')), true) AS granted
FROM unnest(ARRAY[to_regclass('schema_migrations'), to_regclass('schema_objects')]) AS t WHERE t IS NOT NULL
