-- name: skip_unavailable_llm
-- Moves document jobs to another pool if they waited too long for an LLM whose circuit breaker is not closed.
-- The payload key 'without' makes the job skip the LLM; its value is the reason.
WITH waiting AS (
    SELECT j.id, b.message FROM pool_breakers b JOIN jobs j ON j.pool = b.pool
    WHERE b.state <> 'closed' AND b.pool LIKE 'llm:%%' AND j.type = 'document' AND j.state IN ('pending', 'scheduled')
        AND NOT is_held(j.state, j.started_at) AND NOT is_parked(j.state, j.run_at)
        AND j.created_at < clock_timestamp() - make_interval(secs => %(longest)s)
    ORDER BY j.id LIMIT %(limit)s FOR UPDATE OF j SKIP LOCKED
), moved AS (
    UPDATE jobs j SET pool = %(pool)s, state = 'pending', run_at = NULL,
        payload = j.payload || jsonb_build_object('without', coalesce(left(w.message, 500), ''))
    FROM waiting w WHERE j.id = w.id RETURNING j.id
)
SELECT count(*) AS jobs, count(pg_notify('docyard_jobs', %(pool)s)) AS notified FROM moved

-- name: move_waiting_jobs
-- Moves document jobs that are not running to another pool; the worker of that pool decides which stage they need.
WITH waiting AS (
    SELECT id FROM jobs WHERE pool = %(pool)s AND type = 'document' AND state <> 'running' ORDER BY id FOR UPDATE
), moved AS (
    UPDATE jobs j SET pool = %(to)s FROM waiting w WHERE j.id = w.id RETURNING j.id
)
SELECT count(*) AS jobs, count(pg_notify('docyard_jobs', %(to)s)) AS notified FROM moved
