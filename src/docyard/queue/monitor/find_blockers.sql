-- Returns the transactions that block work now, at most five: those older than min_seconds that hold row or table locks on
-- Docyard's tables, or its advisory locks, or that other sessions have waited for since at least a second. A session may
-- also hold an advisory lock outside a transaction; it is returned after doing nothing for min_seconds. Docyard's own
-- transactions are returned only if others wait for them, or if a statement older than own_seconds waits for its client:
-- the server does not end such a statement, even at its timeout. The function reads no table, so it works if all are
-- locked. It runs as the owner, because PostgreSQL hides the sessions of others from the operator role. A time in the
-- future is old: it was taken before the clock was set back.

CREATE OR REPLACE FUNCTION find_blockers(min_seconds double precision, own_seconds double precision)
RETURNS TABLE (
    kind text, name text, pid integer, role text, application text, address text, state text, tables text[],
    purposes text[], blocked bigint, began_at text, seconds double precision, query_seconds double precision, query text
)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH advisory (key, purpose) AS (
        -- The first or only number of the keys of Docyard's advisory locks.
        VALUES (1685285993, 'claims'), (1685285995, 'upkeep'), (1685285996, 'tallies'), (1685022824, 'partitions'),
            (1685285997, 'tags'), (1685285998, 'types'), (1685285999, 'entities'), (1685286000, 'attachments'),
            (1685285994, 'setup'), (1685021561, 'migrations')
    ), since AS (
        SELECT clock_timestamp() - make_interval(secs => min_seconds) AS latest,
            clock_timestamp() - make_interval(secs => own_seconds) AS latest_own
    ), all_locks AS MATERIALIZED (
        SELECT * FROM pg_locks
    ), locks AS (
        SELECT l.pid, l.virtualtransaction, c.relname::text AS on_table, NULL AS purpose,
            l.mode = 'AccessExclusiveLock' AS bars_all
        FROM all_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.locktype = 'relation' AND l.granted AND c.relkind IN ('r', 'p')
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND (c.relnamespace, c.relowner)
                = (SELECT relnamespace, relowner FROM pg_class WHERE oid = to_regclass('public.jobs'))
            -- A transaction that locked rows holds RowShareLock or RowExclusiveLock on their table. Reading, vacuum and
            -- concurrent index builds block no work.
            AND l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock')
        UNION ALL
        SELECT l.pid, l.virtualtransaction, NULL, a.purpose, l.mode = 'ExclusiveLock'
        FROM all_locks l JOIN advisory a ON a.key = CASE l.objsubid WHEN 2 THEN l.classid ELSE l.objid END::bigint
        WHERE l.locktype = 'advisory' AND l.granted AND (l.objsubid = 2 OR l.classid = 0)
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ), held AS (
        SELECT k.pid, k.virtualtransaction, bool_or(k.bars_all) AS bars_all,
            array_agg(DISTINCT k.on_table) FILTER (WHERE k.on_table IS NOT NULL) AS tables,
            array_agg(DISTINCT k.purpose) FILTER (WHERE k.purpose IS NOT NULL) AS purposes
        FROM locks k GROUP BY 1, 2
    ), waiting AS MATERIALIZED (
        SELECT DISTINCT l.pid FROM all_locks l JOIN pg_stat_activity a ON a.pid = l.pid AND a.datname = current_database()
        WHERE NOT l.granted AND l.waitstart NOT BETWEEN clock_timestamp() - interval '1 second' AND clock_timestamp()
    ), blocking AS (
        -- A session that waits itself is not the cause.
        SELECT b.pid, count(*) AS sessions FROM waiting w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS b (pid)
        WHERE b.pid NOT IN (SELECT pid FROM waiting) GROUP BY b.pid
    ), found AS (
        SELECT 'transaction' AS kind, '' AS name, a.pid, a.usename::text AS role, a.application_name AS application,
            host(a.client_addr) AS address,
            CASE WHEN w.for_client THEN 'waiting for its client' ELSE a.state END AS state,
            a.xact_start AS began_at, a.query_start AS query_at, a.query,
            coalesce(h.tables, '{}') AS tables, coalesce(h.purposes, '{}') AS purposes, coalesce(b.sessions, 0) AS blocked
        FROM pg_stat_activity a LEFT JOIN held h ON h.pid = a.pid LEFT JOIN blocking b ON b.pid = a.pid
            CROSS JOIN since
            CROSS JOIN LATERAL (SELECT a.state = 'active' AND a.wait_event_type = 'Client' AS for_client) w
        WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
            AND a.backend_type IS DISTINCT FROM 'autovacuum worker'  -- it gives way to others
            AND (b.sessions > 0 OR h.pid IS NOT NULL AND (a.application_name NOT LIKE 'docyard%'
                OR w.for_client AND a.query_start NOT BETWEEN since.latest_own AND clock_timestamp()))
            -- Unless the role may see the sessions of others, their times are hidden.
            AND CASE WHEN a.state_change IS NULL THEN b.sessions > 0 OR h.bars_all
                WHEN a.xact_start IS NULL THEN b.sessions > 0 OR a.state_change NOT BETWEEN since.latest AND clock_timestamp()
                ELSE a.xact_start NOT BETWEEN since.latest AND clock_timestamp() END
        UNION ALL
        SELECT 'prepared transaction', p.gid, NULL, p.owner::text, '', NULL, 'prepared', p.prepared, p.prepared, '',
            coalesce(h.tables, '{}'), coalesce(h.purposes, '{}'), coalesce((SELECT sessions FROM blocking WHERE pid = 0), 0)
        FROM pg_prepared_xacts p
        JOIN all_locks t ON t.locktype = 'transactionid' AND t.transactionid = p.transaction AND t.pid IS NULL
        JOIN held h ON h.virtualtransaction = t.virtualtransaction AND h.pid IS NULL
        CROSS JOIN since
        WHERE p.database = current_database() AND p.prepared NOT BETWEEN since.latest AND clock_timestamp()
    )
    SELECT kind, name, pid, role, application, address, state, tables, purposes, blocked,
        to_char(began_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS began_at,
        extract(epoch FROM clock_timestamp() - CASE WHEN began_at <= clock_timestamp() THEN began_at END)::float8,
        extract(epoch FROM clock_timestamp() - CASE WHEN query_at <= clock_timestamp() THEN query_at END)::float8,
        -- Texts in quotes may be secrets or the content of documents.
        CASE WHEN query_at IS NOT NULL THEN
            left(regexp_replace(regexp_replace(query, '''[^'']*(''|$)', '''…''', 'g'), '\s+', ' ', 'g'), 120) END
    FROM found ORDER BY blocked DESC, began_at LIMIT 5
$$;

REVOKE EXECUTE ON FUNCTION find_blockers(double precision, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_blockers(double precision, double precision) TO docyard_operator;
