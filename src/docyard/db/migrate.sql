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

-- name: migrator
-- The session that holds the lock of migrations.
SELECT a.pid, a.application_name, a.client_addr
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.objid = %(lock)s AND l.granted LIMIT 1

-- name: save_migration
-- Notes that a migration was applied.
INSERT INTO schema_migrations (version, name, checksum) VALUES (%(version)s, %(name)s, %(checksum)s)

-- name: reset_rights
-- Statements that give functions and views the rights of new ones; what was granted to roles of others stays.
SELECT unnest(ARRAY[
    format('REVOKE ALL ON FUNCTION %%s FROM docyard_web, docyard_operator', p.oid::regprocedure),
    format('GRANT EXECUTE ON FUNCTION %%s TO PUBLIC', p.oid::regprocedure)]) AS statement
FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (%(names)s)
UNION ALL
SELECT format('REVOKE ALL ON %%I FROM PUBLIC, docyard_web, docyard_operator', c.relname)
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' AND c.relname = ANY (%(names)s)

-- name: save_object
-- Notes that an object file was applied, for the first time or again.
INSERT INTO schema_objects (name, checksum, build) VALUES (%(name)s, %(checksum)s, %(build)s)
ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, build = excluded.build, applied_at = now()

-- name: forget_objects
-- Forgets the object files that this build no longer has.
DELETE FROM schema_objects WHERE name <> ALL (%(names)s)
