-- name: promote_due
-- Makes a batch of due scheduled jobs pending, and notifies the workers of their pools.
WITH due AS (
    SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= clock_timestamp()
    ORDER BY run_at LIMIT 1000 FOR UPDATE SKIP LOCKED
), promoted AS (
    UPDATE jobs SET state = 'pending', run_at = NULL WHERE id = ANY (ARRAY(SELECT id FROM due)) RETURNING pool
), notified AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM promoted) p
)
SELECT (SELECT count(*) FROM promoted) AS promoted, (SELECT count(*) FROM notified) AS notified,
    (SELECT extract(epoch FROM min(run_at) - clock_timestamp()) FROM jobs
     WHERE state = 'scheduled' AND run_at > clock_timestamp())::float8 AS next_in
