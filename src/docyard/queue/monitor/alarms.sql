-- name: held_transactions
-- Transactions of this database that have kept vacuum from dead rows for so long, the oldest first.
SELECT 'the process ' || pid || ' (' || coalesce(nullif(application_name, ''), 'without a name') || ', '
    || coalesce(state, 'state unknown') || ')' AS holder, to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS since
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)
    AND backend_type <> 'autovacuum worker'
    AND xact_start <= clock_timestamp() - make_interval(secs => %(seconds)s)
ORDER BY xact_start LIMIT 5

-- name: held_prepared
-- Prepared transactions of this database that nobody has ended for so long.
SELECT 'the prepared transaction ' || gid || ' of ' || owner AS holder,
    to_char(prepared AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS since
FROM pg_prepared_xacts
WHERE database = current_database() AND prepared <= clock_timestamp() - make_interval(secs => %(seconds)s)
ORDER BY prepared LIMIT 5

-- name: held_slots
-- Replication slots that hold dead rows back; a slot tells no time, so transactions are counted.
SELECT 'the replication slot ' || slot_name || CASE WHEN active THEN '' ELSE ' (nobody reads it)' END AS holder,
    NULL::text AS since
FROM pg_replication_slots
WHERE age(xmin) > %(transactions)s::integer
ORDER BY age(xmin) DESC LIMIT 5

-- name: dead_rows
-- How many live and dead rows the table of live jobs has, as far as PostgreSQL's statistics know.
SELECT n_live_tup AS live, n_dead_tup AS dead FROM pg_stat_user_tables WHERE relid = 'jobs'::regclass
