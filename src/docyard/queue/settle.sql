-- name: settle_done
-- Moves finished jobs to the history, those alone that are still held by this worker under this fence.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(outcomes)s::text[],
        %(categories)s::text[], %(messages)s::text[]) AS g (id, fence, worker_id, outcome, category, message)
), ended AS (
    DELETE FROM jobs j USING given g
    WHERE j.id = g.id AND j.fence = g.fence AND j.worker_id = g.worker_id AND j.state = 'running'
    RETURNING j.*, g.outcome, CASE WHEN g.category IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(jsonb_build_object(
        'at', now(), 'category', g.category, 'message', g.message, 'worker', g.worker_id, 'attempt', j.attempts,
        'stage', j.stage)) END AS last_failure
)
INSERT INTO job_history (
    id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
    fence, worker_id, failure_history, arrived_at, started_at, finished_at)
SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
    fence, worker_id, failure_history || last_failure, arrived_at, started_at, clock_timestamp()
FROM ended RETURNING id

-- name: settle_retry
-- Schedules failed or snoozed jobs again, if an attempt is left, in their place; a snooze gives the attempt back.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(delays)s::float8[],
        %(spent)s::boolean[], %(categories)s::text[], %(messages)s::text[])
        AS g (id, fence, worker_id, delay, spent, category, message)
), again AS (
    UPDATE jobs j SET
        state = CASE WHEN g.delay > 0 THEN 'scheduled' ELSE 'pending' END,
        run_at = CASE WHEN g.delay > 0 THEN clock_timestamp() + make_interval(secs => g.delay) END,
        worker_id = NULL, deadline_at = NULL, started_at = NULL,
        attempts = j.attempts - CASE WHEN g.spent THEN 0 ELSE 1 END,
        failure_history = j.failure_history || jsonb_build_object(
            'at', clock_timestamp(), 'category', g.category, 'message', g.message, 'worker', g.worker_id,
            'attempt', j.attempts, 'stage', j.stage)
    FROM given g
    WHERE j.id = g.id AND j.fence = g.fence AND j.worker_id = g.worker_id AND j.state = 'running'
        AND (j.attempts < j.max_attempts OR NOT g.spent)
    RETURNING j.id, j.pool, j.state
), told AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM again WHERE state = 'pending') p
)
SELECT id, (SELECT count(*) FROM told) AS told FROM again

-- name: settle_dead
-- Moves jobs that cannot succeed to the dead letters, with the reason and every attempt.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(categories)s::text[],
        %(messages)s::text[]) AS g (id, fence, worker_id, category, message)
), ended AS (
    DELETE FROM jobs j USING given g
    WHERE j.id = g.id AND j.fence = g.fence AND j.worker_id = g.worker_id AND j.state = 'running'
    RETURNING j.*, g.category, g.message
)
INSERT INTO dead_letters (
    id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload, dedupe_key,
    attempts, max_attempts, replays, fence, failure_history, arrived_at, started_at, category, message)
SELECT id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload, dedupe_key,
    attempts, max_attempts, replays, fence, failure_history || jsonb_build_object(
        'at', clock_timestamp(), 'category', category, 'message', message, 'worker', worker_id, 'attempt', attempts,
        'stage', stage), arrived_at, started_at, category, message
FROM ended RETURNING id

-- name: still_held
-- Locks a job that this worker still holds under this fence, and says where it stands.
SELECT stage, attempts FROM jobs
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
FOR UPDATE

-- name: advance
-- Lets a running job go on with its next stage, which starts with a first attempt of its own.
UPDATE jobs SET stage = %(stage)s, attempts = 1
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
RETURNING id
