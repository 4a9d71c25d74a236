-- name: held_transactions
-- Describes transactions that have kept vacuum from removing dead rows for at least this many seconds, oldest first.
SELECT 'the process ' || pid || ' (' || coalesce(nullif(application_name, ''), 'unnamed') || ', '
    || coalesce(state, 'unknown state') || ')' AS holder,
    to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS since
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)
    AND backend_type <> 'autovacuum worker'
    -- A time in the future was taken before the clock was set back.
    AND xact_start NOT BETWEEN clock_timestamp() - make_interval(secs => %(seconds)s) AND clock_timestamp()
ORDER BY xact_start LIMIT 5

-- name: held_prepared
-- Describes prepared transactions of this database that are older than this number of seconds, oldest first.
SELECT 'the prepared transaction ' || gid || ' of ' || owner AS holder,
    to_char(prepared AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS since
FROM pg_prepared_xacts
WHERE database = current_database()
    AND prepared NOT BETWEEN clock_timestamp() - make_interval(secs => %(seconds)s) AND clock_timestamp()
ORDER BY prepared LIMIT 5

-- name: held_slots
-- Describes replication slots whose xmin is older than this number of transactions. PostgreSQL does not record when
-- a slot got its xmin.
SELECT 'the replication slot ' || slot_name || CASE WHEN active THEN '' ELSE ' (not in use)' END AS holder,
    NULL::text AS since
FROM pg_replication_slots
WHERE age(xmin) > %(transactions)s::integer
ORDER BY age(xmin) DESC LIMIT 5

-- name: count_dead_rows
-- Returns the live and dead rows of the table jobs, as estimated by PostgreSQL.
SELECT n_live_tup AS live, n_dead_tup AS dead FROM pg_stat_user_tables WHERE relid = 'jobs'::regclass
