-- name: lock_held
-- Locks jobs in order, those alone that are still held by this worker under this fence, and says which are exhausted.
SELECT j.id, j.attempts >= j.max_attempts AS exhausted FROM jobs j
JOIN unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[]) AS g (id, fence, worker_id)
    ON j.id = g.id AND j.fence = g.fence AND (j.worker_id = g.worker_id) IS TRUE
ORDER BY j.id FOR UPDATE OF j

-- name: settle_done
-- Moves finished jobs to the history, those alone that are still held by this worker under this fence.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(outcomes)s::text[],
        %(categories)s::text[], %(messages)s::text[]) AS g (id, fence, worker_id, outcome, category, message)
), ended AS (
    DELETE FROM jobs j USING given g
    -- IS TRUE: by an index of workers or states all that runs would be read for each job. Only what runs has a worker.
    WHERE j.id = g.id AND j.fence = g.fence AND (j.worker_id = g.worker_id) IS TRUE
    RETURNING j.*, g.outcome, g.category, CASE WHEN g.category IS NULL THEN '[]'::jsonb
        ELSE jsonb_build_array(jsonb_build_object(
            'at', now(), 'category', g.category, 'message', g.message, 'worker', g.worker_id, 'attempt', j.attempts,
            'stage', j.stage)) END AS last_failure
), tallied AS (
    INSERT INTO tallies (pool, tier, event, category, jobs)
    SELECT pool, tier, outcome, coalesce(category, ''), count(*) FROM ended GROUP BY 1, 2, 3, 4
), kept AS (
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history || last_failure, arrived_at, started_at, clock_timestamp()
    FROM ended
)
SELECT id, parent_id, started_at, outcome = 'cancelled' AS failed, EXISTS (
    -- Usually no pool has had trouble, and nothing need be counted.
    SELECT FROM pool_breakers b WHERE b.pool = ended.pool AND (b.state = 'half_open' OR b.failures > 0)) AS watched
FROM ended

-- name: open_budgets
-- Locks the retry budgets of these workspaces, in order, making those that are not there yet.
INSERT INTO retry_budgets AS b (workspace_id)
SELECT DISTINCT w.id FROM unnest(%(workspaces)s::uuid[]) AS w (id) ORDER BY w.id
-- Nothing is changed, but the row is locked also when somebody else has only just made it.
ON CONFLICT (workspace_id) DO UPDATE SET spent = b.spent WHERE false

-- name: settle_retry
-- Schedules failed or snoozed jobs again, if an attempt is left, in their place; a snooze gives the attempt back.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(delays)s::float8[],
        %(spent)s::boolean[], %(charged)s::boolean[], %(categories)s::text[], %(messages)s::text[])
        AS g (id, fence, worker_id, delay, spent, charged, category, message)
), held AS MATERIALIZED (
    SELECT j.id, j.workspace_id, j.started_at, g.delay, g.spent, g.charged, g.category, g.message,
        row_number() OVER (PARTITION BY j.workspace_id, g.charged ORDER BY j.priority, j.arrived_at, j.id) AS turn
    FROM (SELECT * FROM jobs WHERE id = ANY (%(ids)s::uuid[]) AND state = 'running' ORDER BY id FOR UPDATE) j
    JOIN given g ON g.id = j.id AND g.fence = j.fence AND g.worker_id = j.worker_id
    WHERE j.attempts < j.max_attempts OR NOT g.spent
), purse AS (
    SELECT b.workspace_id, b.most, b.period, w.retries,
        CASE WHEN o.over THEN clock_timestamp() ELSE b.period_began END AS began,
        CASE WHEN o.over THEN 0 ELSE b.spent END AS spent
    FROM retry_budgets b
    JOIN (SELECT workspace_id, count(*)::integer AS retries FROM held WHERE charged GROUP BY 1) w
        ON w.workspace_id = b.workspace_id
    CROSS JOIN LATERAL (SELECT b.period_began + b.period <= clock_timestamp() AS over) o
), granted AS (
    -- Retries fill the period under way, then the following ones; each period grants its number and no more.
    UPDATE retry_budgets b SET
        period_began = p.began + p.period * ((p.spent + p.retries - 1) / p.most),
        spent = (p.spent + p.retries - 1) %% p.most + 1
    FROM purse p WHERE b.workspace_id = p.workspace_id
), placed AS MATERIALIZED (
    SELECT h.*, n.due, n.now, p.began + p.period * ((p.spent + h.turn - 1) / p.most) AS not_before
    FROM held h LEFT JOIN purse p ON h.charged AND p.workspace_id = h.workspace_id
    -- One reading of the clock for state and time, or a job could be scheduled for no time at all.
    CROSS JOIN LATERAL (SELECT clock.now, clock.now + make_interval(secs => h.delay) AS due
                        FROM (SELECT clock_timestamp() AS now) clock) n
), again AS (
    UPDATE jobs j SET
        state = CASE WHEN p.delay > 0 OR p.not_before > p.now THEN 'scheduled' ELSE 'pending' END,
        run_at = CASE WHEN p.delay > 0 OR p.not_before > p.now THEN greatest(p.due, p.not_before) END,
        worker_id = NULL, deadline_at = NULL, started_at = NULL,
        attempts = j.attempts - CASE WHEN p.spent THEN 0 ELSE 1 END,
        failure_history = n.earlier || jsonb_strip_nulls(jsonb_build_object(
            'at', p.now, 'category', p.category, 'message', p.message, 'worker', j.worker_id,
            'attempt', j.attempts, 'stage', j.stage, 'snoozes', n.snoozes, 'waited', n.waited,
            'postponed_until', CASE WHEN p.not_before > p.due THEN p.not_before END))
    FROM placed p CROSS JOIN LATERAL (
        -- A job may be snoozed for days; one entry counts the snoozes in a row, or the row would grow without end.
        SELECT CASE WHEN s.repeated THEN k.failure_history - -1 ELSE k.failure_history END AS earlier,
            CASE WHEN NOT p.spent THEN 1 + coalesce(CASE WHEN s.repeated
                THEN (k.failure_history -> -1 ->> 'snoozes')::integer END, 0) END AS snoozes,
            CASE WHEN NOT p.spent THEN p.delay + coalesce(CASE WHEN s.repeated
                THEN (k.failure_history -> -1 ->> 'waited')::float8 END, 0) END AS waited
        FROM jobs k CROSS JOIN LATERAL (
            SELECT NOT p.spent AND k.failure_history -> -1 ? 'snoozes' AS repeated) s
        WHERE k.id = p.id) n
    WHERE j.id = p.id
    RETURNING j.id, j.pool, j.tier, j.state, p.started_at, p.spent, p.category
), tallied AS (
    INSERT INTO tallies (pool, tier, event, category, jobs)
    SELECT pool, tier, CASE WHEN spent THEN 'retried' ELSE 'snoozed' END, category, count(*) FROM again
    GROUP BY 1, 2, 3, 4
), told AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM again WHERE state = 'pending') p
)
SELECT id, started_at, (SELECT count(*) FROM told) AS told FROM again

-- name: settle_dead
-- Moves jobs that cannot succeed to the dead letters, with the reason and every attempt.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(categories)s::text[],
        %(messages)s::text[], %(retryable)s::boolean[]) AS g (id, fence, worker_id, category, message, retryable)
), ended AS (
    DELETE FROM jobs j USING given g
    WHERE j.id = g.id AND j.fence = g.fence AND (j.worker_id = g.worker_id) IS TRUE
    RETURNING j.*, g.category, g.message, g.retryable
), tallied AS (
    INSERT INTO tallies (pool, tier, event, category, jobs)
    SELECT pool, tier, 'dead', category, count(*) FROM ended GROUP BY 1, 2, 4
), kept AS (
    INSERT INTO dead_letters (
        id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload, dedupe_key,
        attempts, max_attempts, replays, fence, failure_history, arrived_at, started_at, category, message,
        retryable)
    SELECT id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
        dedupe_key, attempts, max_attempts, replays, fence, failure_history || jsonb_build_object(
            'at', clock_timestamp(), 'category', category, 'message', message, 'worker', worker_id,
            'attempt', attempts, 'stage', stage), arrived_at, started_at, category, message, retryable
    FROM ended
)
SELECT id, parent_id, started_at, true AS failed FROM ended

-- name: still_held
-- Locks a job that this worker still holds under this fence, and says where it stands.
SELECT stage, attempts, (
    SELECT coalesce(sum((f ->> 'waited')::float8), 0) FROM jsonb_array_elements(failure_history) f) AS waited
FROM jobs
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
FOR UPDATE

-- name: prolong
-- Counts the deadline of a running job anew, because part of its work has just been saved.
UPDATE jobs j SET deadline_at = clock_timestamp() + make_interval(secs => p.deadline_seconds)
FROM pools p
WHERE p.pool = j.pool AND j.id = %(id)s AND j.fence = %(fence)s AND j.worker_id = %(worker_id)s AND j.state = 'running'
RETURNING j.id

-- name: move
-- Returns a running job to another pool without spending an attempt; each stage has attempts of its own. What is created
-- is its place in that pool: a job that was queued for long has not yet waited for the model of that pool. What it was
-- told of another stage is done with.
WITH moved AS (
    UPDATE jobs SET pool = %(pool)s, stage = %(stage)s, payload = payload - '{retry,alone}'::text[], state = 'pending',
        worker_id = NULL, deadline_at = NULL, started_at = NULL, fence = fence + 1, created_at = clock_timestamp(),
        attempts = CASE WHEN stage = %(stage)s THEN attempts - 1 ELSE 0 END
    WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
    RETURNING id, pool
)
SELECT id, pg_notify('docyard_jobs', pool) FROM moved

-- name: enter
-- Notes the stage that a job turned out to be for; what it was told of another stage is done with.
UPDATE jobs SET stage = %(stage)s, payload = payload - '{retry,alone}'::text[]
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'

-- name: advance
-- Lets a running job go on with its next stage, which starts with a first attempt of its own.
UPDATE jobs SET stage = %(stage)s, attempts = 1
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
RETURNING id
