-- name: moment
-- Returns the server's time, and the time before which all settlements are committed.
SELECT clock_timestamp() AS now, clock_timestamp() - make_interval(secs => %(lag)s) AS until

-- name: depth
-- Counts jobs by pool, tier and state, with the wait in seconds of the oldest job that was never claimed.
SELECT pool, tier, count(*) FILTER (WHERE state = 'pending') AS pending,
    count(*) FILTER (WHERE state = 'scheduled') AS scheduled, count(*) FILTER (WHERE state = 'running') AS running,
    count(*) FILTER (WHERE state = 'waiting') AS waiting,
    -- Jobs that no pause and no limit of their workspace holds back.
    count(*) FILTER (WHERE state = 'pending' AND tier NOT IN (SELECT tier FROM tiers WHERE paused)
        AND workspace_id NOT IN (SELECT workspace_id FROM workspace_limits)) AS claimable,
    greatest(0, extract(epoch FROM clock_timestamp() - min(greatest(arrived_at, created_at))
        FILTER (WHERE state = 'pending' AND fence = 0)))::float8 AS oldest
FROM jobs GROUP BY pool, tier ORDER BY pool, tier

-- name: trouble
-- Counts dead letters and stuck documents, and returns the documents that have been stuck longest.
WITH stuck AS MATERIALIZED (SELECT * FROM find_stuck_documents())
SELECT (SELECT count(*) FROM dead_letters) AS dead, (SELECT count(*) FROM stuck) AS stuck,
    ARRAY(SELECT document_id FROM stuck ORDER BY unchanged_since LIMIT %(limit)s) AS first_stuck

-- name: ended
-- Counts the documents that were first completed, or failed, in a period, and their times from arrival to completion.
-- A document that is processed again after its completion is not counted again, unless it fails.
WITH completed AS MATERIALIZED (
    SELECT greatest(0, extract(epoch FROM first_completed_at - created_at))::float8 AS seconds
    FROM documents WHERE first_completed_at > coalesce(%(since)s::timestamptz, clock_timestamp() - interval '1 day')
        AND first_completed_at <= %(until)s
)
SELECT (SELECT count(*) FROM completed) AS completed, (
        SELECT count(*) FROM documents
        WHERE status = 'failed' AND completed_at > coalesce(%(since)s::timestamptz, clock_timestamp() - interval '1 day')
            AND completed_at <= %(until)s) AS failed,
    (SELECT coalesce(sum(seconds), 0) FROM completed) AS seconds,
    ARRAY(SELECT (SELECT count(*) FROM completed c WHERE c.seconds <= b.bound)
        FROM unnest(%(bounds)s::float8[]) WITH ORDINALITY AS b (bound, place) ORDER BY b.place) AS within

-- name: recovery
-- Counts the documents that ended in the last day and had a failed attempt, and those of them that have recovered: they
-- are completed with nothing missing, so they have no reason_category. Each document counts by its last outcome, also if
-- an earlier one was in another sample. Processing a completed document again does not count, unless it fails.
SELECT count(*) AS troubled, count(*) FILTER (WHERE status = 'completed' AND reason_category IS NULL) AS recovered
FROM documents
WHERE failures > 0 AND completed_at > clock_timestamp() - interval '1 day'
    AND (status = 'failed' OR status = 'completed' AND first_completed_at > clock_timestamp() - interval '1 day')

-- name: holders
-- Returns transactions, prepared transactions and replication slots that keep vacuum from removing dead rows.
SELECT 'transaction' AS kind, coalesce(nullif(application_name, ''), usename, '') AS name, pid,
    extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds, coalesce(backend_xmin, backend_xid)::text AS xmin
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
    AND backend_type <> 'autovacuum worker' AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
UNION ALL
SELECT 'prepared transaction', gid, NULL, extract(epoch FROM clock_timestamp() - prepared)::float8, transaction::text
FROM pg_prepared_xacts WHERE database = current_database()
UNION ALL
SELECT 'replication slot', slot_name, NULL, NULL, xmin::text FROM pg_replication_slots WHERE xmin IS NOT NULL

-- name: tables
-- Returns the dead and live rows of the tables that change most.
SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
WHERE schemaname = 'public' AND relname IN ('jobs', 'lanes', 'pools', 'tallies') ORDER BY relname

-- name: keep_sample
-- Saves a sample.
INSERT INTO queue_samples (facts) VALUES (%(facts)s)

-- name: prune_samples
-- Deletes samples older than this number of days, except the newest, from which the next one continues.
WITH deleted AS (
    DELETE FROM queue_samples WHERE taken_at < clock_timestamp() - make_interval(days => %(days)s)
        AND taken_at < (SELECT max(taken_at) FROM queue_samples) RETURNING 1
)
SELECT count(*) AS deleted FROM deleted
