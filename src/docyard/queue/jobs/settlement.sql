-- name: lock_held
-- Locks the jobs whose lease is still valid, in order of id, and returns for each whether it has no attempt left.
SELECT j.id, j.attempts >= j.max_attempts AS exhausted FROM jobs j
JOIN unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[]) AS g (id, fence, worker_id)
    ON j.id = g.id AND j.fence = g.fence AND (j.worker_id = g.worker_id) IS TRUE
ORDER BY j.id FOR UPDATE OF j

-- name: settle_done
-- Moves finished jobs whose lease is still valid to the history.
WITH input AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(outcomes)s::text[],
        %(categories)s::text[], %(messages)s::text[], %(ran_by)s::uuid[])
        AS g (id, fence, worker_id, outcome, category, message, ran_by)
), ended AS (
    DELETE FROM jobs j USING input g
    -- IS TRUE prevents use of the index on running jobs, which would be scanned for each job. Only running jobs have
    -- a worker, so the state need not be checked.
    WHERE j.id = g.id AND j.fence = g.fence AND (j.worker_id = g.worker_id) IS TRUE
    RETURNING j.*, g.outcome, g.category, g.ran_by, CASE WHEN g.category IS NULL THEN '[]'::jsonb
        ELSE jsonb_build_array(jsonb_build_object(
            'at', now(), 'category', g.category, 'message', g.message, 'worker', g.ran_by, 'attempt', j.attempts,
            'stage', j.stage)) END AS last_failure
), tallied AS (
    INSERT INTO tallies (pool, tier, event, category, jobs)
    SELECT pool, tier, outcome, coalesce(category, ''), count(*) FROM ended GROUP BY 1, 2, 3, 4
), kept AS (
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, ran_by, failure_history || last_failure, arrived_at, started_at, clock_timestamp()
    FROM ended
)
SELECT id, parent_id, started_at, outcome = 'cancelled' AS failed, EXISTS (
    -- Successes matter only to breakers that are half-open or have failures, which is rare.
    SELECT FROM pool_breakers b WHERE b.pool = ended.pool AND (b.state = 'half_open' OR b.failures > 0)) AS watched
FROM ended

-- name: open_budgets
-- Locks the retry budgets of these workspaces in order of id, and creates missing ones.
INSERT INTO retry_budgets AS b (workspace_id)
SELECT DISTINCT w.id FROM unnest(%(workspaces)s::uuid[]) AS w (id) ORDER BY w.id
-- The update changes no value, but it locks the row, even if a concurrent transaction has just inserted it.
ON CONFLICT (workspace_id) DO UPDATE SET spent = b.spent WHERE false

-- name: settle_retry
-- Requeues snoozed jobs, and failed jobs that have an attempt left, as pending or scheduled. A snooze uses no attempt.
WITH input AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(delays)s::float8[],
        %(spent)s::boolean[], %(charged)s::boolean[], %(categories)s::text[], %(messages)s::text[], %(ran_by)s::uuid[])
        AS g (id, fence, worker_id, delay, spent, charged, category, message, ran_by)
), locked AS MATERIALIZED (
    SELECT j.id, j.workspace_id, j.started_at, g.delay, g.spent, g.charged, g.category, g.message, g.ran_by,
        row_number() OVER (PARTITION BY j.workspace_id, g.charged ORDER BY j.priority, j.arrived_at, j.id) AS turn
    FROM (SELECT * FROM jobs WHERE id = ANY (%(ids)s::uuid[]) AND state = 'running' ORDER BY id FOR UPDATE) j
    JOIN input g ON g.id = j.id AND g.fence = j.fence AND g.worker_id = j.worker_id
    WHERE j.attempts < j.max_attempts OR NOT g.spent
), budget AS (
    SELECT b.workspace_id, b.most, b.period, w.retries,
        CASE WHEN o.over THEN clock_timestamp() ELSE b.period_began END AS began,
        CASE WHEN o.over THEN 0 ELSE b.spent END AS spent
    FROM retry_budgets b
    JOIN (SELECT workspace_id, count(*)::integer AS retries FROM locked WHERE charged GROUP BY 1) w
        ON w.workspace_id = b.workspace_id
    CROSS JOIN LATERAL (SELECT b.period_began + b.period <= clock_timestamp() AS over) o
), charged_budget AS (
    -- Retries use up the budget of the current period, then those of later periods; each period grants `most` retries.
    UPDATE retry_budgets b SET
        period_began = p.began + p.period * ((p.spent + p.retries - 1) / p.most),
        spent = (p.spent + p.retries - 1) %% p.most + 1
    FROM budget p WHERE b.workspace_id = p.workspace_id
), placed AS MATERIALIZED (
    SELECT h.*, n.due, n.now, p.began + p.period * ((p.spent + h.turn - 1) / p.most) AS not_before
    FROM locked h LEFT JOIN budget p ON h.charged AND p.workspace_id = h.workspace_id
    -- The clock is read once, so that state and run_at agree: a scheduled job without run_at would never run.
    CROSS JOIN LATERAL (SELECT clock.now, clock.now + make_interval(secs => h.delay) AS due
                        FROM (SELECT clock_timestamp() AS now) clock) n
), retried AS (
    UPDATE jobs j SET
        state = CASE WHEN p.delay > 0 OR p.not_before > p.now THEN 'scheduled' ELSE 'pending' END,
        run_at = CASE WHEN p.delay > 0 OR p.not_before > p.now THEN greatest(p.due, p.not_before) END,
        worker_id = NULL, deadline_at = NULL, started_at = NULL,
        attempts = j.attempts - CASE WHEN p.spent THEN 0 ELSE 1 END,
        failure_history = n.earlier || jsonb_strip_nulls(jsonb_build_object(
            'at', p.now, 'category', p.category, 'message', p.message, 'worker', p.ran_by,
            'attempt', j.attempts, 'stage', j.stage, 'snoozes', n.snoozes, 'waited', n.waited,
            'postponed_until', CASE WHEN p.not_before > p.due THEN p.not_before END))
    FROM placed p CROSS JOIN LATERAL (
        -- A job may be snoozed for days. Consecutive snoozes share one entry, so that the history stays short. Waits for
        -- locks have their own, because they do not count as waiting for a provider.
        SELECT CASE WHEN s.repeated THEN k.failure_history - -1 ELSE k.failure_history END AS earlier,
            CASE WHEN NOT p.spent THEN 1 + coalesce(CASE WHEN s.repeated
                THEN (k.failure_history -> -1 ->> 'snoozes')::integer END, 0) END AS snoozes,
            CASE WHEN NOT p.spent THEN p.delay + coalesce(CASE WHEN s.repeated
                THEN (k.failure_history -> -1 ->> 'waited')::float8 END, 0) END AS waited
        FROM jobs k CROSS JOIN LATERAL (
            SELECT NOT p.spent AND k.failure_history -> -1 ? 'snoozes'
                AND (k.failure_history -> -1 ->> 'category' = %(locked)s) = (p.category = %(locked)s) AS repeated) s
        WHERE k.id = p.id) n
    WHERE j.id = p.id
    RETURNING j.id, j.pool, j.tier, j.state, p.started_at, p.spent, p.category
), tallied AS (
    INSERT INTO tallies (pool, tier, event, category, jobs)
    SELECT pool, tier, CASE WHEN spent THEN 'retried' ELSE 'snoozed' END, category, count(*) FROM retried
    GROUP BY 1, 2, 3, 4
), notified AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM retried WHERE state = 'pending') p
)
SELECT id, started_at, (SELECT count(*) FROM notified) AS notified FROM retried

-- name: settle_dead
-- Moves failed jobs whose lease is still valid to the dead letters, with the reason and every attempt.
WITH input AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(fences)s::bigint[], %(workers)s::uuid[], %(categories)s::text[],
        %(messages)s::text[], %(retryable)s::boolean[], %(ran_by)s::uuid[])
        AS g (id, fence, worker_id, category, message, retryable, ran_by)
), ended AS (
    DELETE FROM jobs j USING input g
    WHERE j.id = g.id AND j.fence = g.fence AND (j.worker_id = g.worker_id) IS TRUE
    RETURNING j.*, g.category, g.message, g.retryable, g.ran_by
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
            'at', clock_timestamp(), 'category', category, 'message', message, 'worker', ran_by,
            'attempt', attempts, 'stage', stage), arrived_at, started_at, category, message, retryable
    FROM ended
)
SELECT id, parent_id, started_at, true AS failed FROM ended

-- name: lock_lease
-- Locks a job that is still leased to this worker under this fence; returns its stage, attempts and snoozed seconds.
SELECT stage, attempts, (
    SELECT coalesce(sum((f ->> 'waited')::float8) FILTER (WHERE f ->> 'category' <> %(locked)s), 0)
    FROM jsonb_array_elements(failure_history) f) AS waited
FROM jobs
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
FOR UPDATE

-- name: lock_free_lease
-- Like lock_lease, but returns no row if another transaction has locked the job; returns the seconds spent on locks.
SELECT (
    SELECT coalesce(sum((f ->> 'waited')::float8) FILTER (WHERE f ->> 'category' = %(locked)s), 0)
    FROM jsonb_array_elements(failure_history) f) AS waited
FROM jobs
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
FOR UPDATE SKIP LOCKED

-- name: extend_deadline
-- Restarts the deadline of a running job after part of its work was saved.
UPDATE jobs j SET deadline_at = clock_timestamp() + make_interval(secs => p.deadline_seconds)
FROM pools p
WHERE p.pool = j.pool AND j.id = %(id)s AND j.fence = %(fence)s AND j.worker_id = %(worker_id)s AND j.state = 'running'
RETURNING j.id

-- name: move
-- Makes a running job pending in another pool without using an attempt.
-- Attempts are counted per stage. created_at becomes the time of entry into the pool, from which llm_fallback.sql
-- computes how long the job has waited. The removed payload keys apply only to the previous stage.
WITH moved AS (
    UPDATE jobs SET pool = %(pool)s, stage = %(stage)s, payload = payload - '{retry,alone}'::text[], state = 'pending',
        worker_id = NULL, deadline_at = NULL, started_at = NULL, fence = fence + 1, created_at = clock_timestamp(),
        attempts = CASE WHEN stage = %(stage)s THEN attempts - 1 ELSE 0 END
    WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
    RETURNING id, pool
)
SELECT id, pg_notify('docyard_jobs', pool) FROM moved

-- name: set_stage
-- Records the stage that a job runs, and removes the payload keys that apply only to another stage.
UPDATE jobs SET stage = %(stage)s, payload = payload - '{retry,alone}'::text[]
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'

-- name: advance
-- Records that a running job continues with its next stage, at the first attempt.
UPDATE jobs SET stage = %(stage)s, attempts = 1
WHERE id = %(id)s AND fence = %(fence)s AND worker_id = %(worker_id)s AND state = 'running'
RETURNING id
