-- name: pass_by
-- Moves documents' jobs that have waited long enough for a model whose breaker is not closed to where they go on without.
WITH waiting AS (
    SELECT j.id, b.message FROM pool_breakers b JOIN jobs j ON j.pool = b.pool
    WHERE b.state <> 'closed' AND b.pool LIKE 'llm:%%' AND j.type = 'document' AND j.state IN ('pending', 'scheduled')
        AND j.created_at < clock_timestamp() - make_interval(secs => %(longest)s)
    ORDER BY j.id LIMIT %(most)s FOR UPDATE OF j SKIP LOCKED
), moved AS (
    UPDATE jobs j SET pool = %(pool)s, state = 'pending', run_at = NULL,
        payload = j.payload || jsonb_build_object('without', coalesce(left(w.message, 500), ''))
    FROM waiting w WHERE j.id = w.id RETURNING j.id
)
SELECT count(*) AS jobs, count(pg_notify('docyard_jobs', %(pool)s)) AS told FROM moved

-- name: leave_pool
-- Moves documents' jobs that wait in a pool to another one, where the road finds out what they wait for now.
WITH waiting AS (
    SELECT id FROM jobs WHERE pool = %(pool)s AND type = 'document' AND state <> 'running' ORDER BY id FOR UPDATE
), moved AS (
    UPDATE jobs j SET pool = %(to)s FROM waiting w WHERE j.id = w.id RETURNING j.id
)
SELECT count(*) AS jobs, count(pg_notify('docyard_jobs', %(to)s)) AS told FROM moved
