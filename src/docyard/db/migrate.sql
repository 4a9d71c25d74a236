-- name: open_migrations
-- Creates the ledger of applied migrations.
CREATE TABLE schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())

-- name: open_objects
-- Creates the ledger of applied object files.
CREATE TABLE schema_objects (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    build text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())

-- name: migrator
-- Returns the session that holds the migration lock, and the age of its transaction in seconds.
SELECT a.pid, a.application_name, a.client_addr, a.usename,
    coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::float8 AS age
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.objid = %(lock)s AND l.granted LIMIT 1

-- name: save_migration
-- Records that a migration was applied.
INSERT INTO schema_migrations (version, name, checksum) VALUES (%(version)s, %(name)s, %(checksum)s)

-- name: reset_rights
-- Returns statements that reset privileges of PUBLIC and Docyard's roles on functions and views; other roles keep theirs.
SELECT unnest(ARRAY[
    format('REVOKE ALL ON FUNCTION %%s FROM docyard_web, docyard_operator', p.oid::regprocedure),
    format('GRANT EXECUTE ON FUNCTION %%s TO PUBLIC', p.oid::regprocedure)]) AS statement
FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (%(names)s)
UNION ALL
SELECT format('REVOKE ALL ON %%I FROM PUBLIC, docyard_web, docyard_operator', c.relname)
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' AND c.relname = ANY (%(names)s)

-- name: save_object
-- Records that an object file was applied.
INSERT INTO schema_objects (name, checksum, build) VALUES (%(name)s, %(checksum)s, %(build)s)
ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, build = excluded.build, applied_at = now()

-- name: forget_objects
-- Deletes the records of object files that this build does not have.
DELETE FROM schema_objects WHERE name <> ALL (%(names)s)
