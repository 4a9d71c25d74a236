-- name: find_blockers
-- Returns transactions older than this number of seconds that hold row or table locks on Docyard's tables, or that other
-- sessions have waited for since at least a second. Docyard's own transactions are returned only in the latter case. A
-- time in the future is old: it was taken before the clock was set back.
WITH held AS (
    SELECT l.pid, l.virtualtransaction, array_agg(DISTINCT c.relname::text ORDER BY c.relname::text) AS tables,
        bool_or(l.mode = 'AccessExclusiveLock') AS bars_readers
    FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
    WHERE l.locktype = 'relation' AND l.granted AND c.relkind IN ('r', 'p')
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (c.relnamespace, c.relowner)
            = (SELECT relnamespace, relowner FROM pg_class WHERE oid = to_regclass('public.jobs'))
        -- A transaction that locked rows holds RowShareLock or RowExclusiveLock on their table. Reading, vacuum and
        -- concurrent index builds block no work.
        AND l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock')
    GROUP BY 1, 2
), waiting AS MATERIALIZED (
    SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database()
    WHERE NOT l.granted AND l.waitstart NOT BETWEEN clock_timestamp() - interval '1 second' AND clock_timestamp()
), blocking AS (
    -- A session that waits itself is not the cause.
    SELECT b.pid, count(*) AS sessions FROM waiting w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS b (pid)
    WHERE b.pid NOT IN (SELECT pid FROM waiting) GROUP BY b.pid
), found AS (
    SELECT 'transaction' AS kind, '' AS name, a.pid, a.usename::text AS role, a.application_name AS application,
        host(a.client_addr) AS address, a.state, a.xact_start AS began_at, a.query_start AS query_at, a.query,
        coalesce(h.tables, '{}') AS tables, coalesce(b.sessions, 0) AS blocked
    FROM pg_stat_activity a LEFT JOIN held h ON h.pid = a.pid LEFT JOIN blocking b ON b.pid = a.pid
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
        AND a.backend_type IS DISTINCT FROM 'autovacuum worker'  -- it gives way to others
        AND (b.sessions > 0 OR h.pid IS NOT NULL AND a.application_name NOT LIKE 'docyard%%')
        -- Unless the role may see the sessions of others, their times are hidden.
        AND CASE WHEN a.xact_start IS NULL THEN b.sessions > 0 OR h.bars_readers
            ELSE a.xact_start NOT BETWEEN clock_timestamp() - make_interval(secs => %(seconds)s) AND clock_timestamp() END
    UNION ALL
    SELECT 'prepared transaction', p.gid, NULL, p.owner::text, '', NULL, 'prepared', p.prepared, p.prepared, '',
        h.tables, coalesce((SELECT sessions FROM blocking WHERE pid = 0), 0)
    FROM pg_prepared_xacts p
    JOIN pg_locks t ON t.locktype = 'transactionid' AND t.transactionid = p.transaction AND t.pid IS NULL
    JOIN held h ON h.virtualtransaction = t.virtualtransaction AND h.pid IS NULL
    WHERE p.database = current_database()
        AND p.prepared NOT BETWEEN clock_timestamp() - make_interval(secs => %(seconds)s) AND clock_timestamp()
)
SELECT kind, name, pid, role, application, address, state, tables, blocked,
    to_char(began_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS began_at,
    extract(epoch FROM clock_timestamp() - CASE WHEN began_at <= clock_timestamp() THEN began_at END)::float8 AS seconds,
    extract(epoch FROM clock_timestamp() - CASE WHEN query_at <= clock_timestamp() THEN query_at END)::float8
        AS query_seconds,
    -- Texts in quotes may be secrets or the content of documents.
    left(regexp_replace(regexp_replace(query, '''[^'']*(''|$)', '''…''', 'g'), '\s+', ' ', 'g'), 120) AS query
FROM found ORDER BY blocked DESC, began_at LIMIT 5

-- name: save_blockers
-- Replaces the saved blockers.
WITH gone AS (DELETE FROM blockers)
INSERT INTO blockers (facts) SELECT * FROM unnest(%(blockers)s::jsonb[])

-- name: load_blockers
-- Returns the blockers saved in the last minute, and how many seconds ago.
SELECT facts, extract(epoch FROM clock_timestamp() - seen_at)::float8 AS age FROM blockers
WHERE seen_at > clock_timestamp() - interval '1 minute' ORDER BY (facts ->> 'blocked')::integer DESC, facts ->> 'began_at'
