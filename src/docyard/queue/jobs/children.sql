-- name: adopt
-- Locks all children of a job, and makes live jobs with these dedupe keys its children if they have no parent.
WITH locked AS MATERIALIZED (
    -- Existing children are locked too: one that is being settled must have ended before children are counted.
    SELECT id FROM jobs
    WHERE parent_id = %(id)s
        OR workspace_id = %(workspace_id)s AND dedupe_key = ANY (%(dedupe_keys)s) AND parent_id IS NULL AND id <> %(id)s
    ORDER BY id FOR UPDATE
)
UPDATE jobs j SET parent_id = %(id)s FROM locked l WHERE j.id = l.id AND j.parent_id IS NULL

-- name: start_waiting
-- Lets a running job wait for its live children, up to a timeout, without using an attempt.
-- A job without live children becomes pending, or scheduled if another parent has the requested children.
WITH counted AS MATERIALIZED (
    SELECT c.children, CASE WHEN c.children > 0 THEN 'waiting' WHEN e.elsewhere THEN 'scheduled' ELSE 'pending' END
        AS state
    FROM (SELECT count(*)::integer AS children FROM jobs WHERE parent_id = %(id)s) c
    CROSS JOIN (SELECT EXISTS (
        SELECT FROM jobs WHERE workspace_id = %(workspace_id)s AND dedupe_key = ANY (%(dedupe_keys)s)
            AND parent_id <> %(id)s) AS elsewhere) e
), waiting AS (
    UPDATE jobs j SET state = c.state,
        run_at = CASE c.state WHEN 'waiting' THEN clock_timestamp() + make_interval(secs => %(seconds)s)
            WHEN 'scheduled' THEN clock_timestamp() + make_interval(secs => %(recheck_seconds)s) END,
        children = CASE c.state WHEN 'scheduled' THEN 0 ELSE greatest(c.children, 1) END,
        children_left = c.children, children_failed = 0,
        worker_id = NULL, deadline_at = NULL, started_at = NULL, attempts = j.attempts - 1
    FROM counted c
    WHERE j.id = %(id)s AND j.fence = %(fence)s AND j.worker_id = %(worker_id)s AND j.state = 'running'
    RETURNING j.pool, j.tier, j.state
), tallied AS (
    INSERT INTO tallies (pool, tier, event, jobs) SELECT pool, tier, 'waited', 1 FROM waiting
)
SELECT pool, CASE WHEN state = 'pending' THEN pg_notify('docyard_jobs', pool) END AS notified FROM waiting

-- name: wake_parents
-- Subtracts ended children from their parents' counters; a parent whose counter reaches zero becomes pending.
WITH ended AS (
    SELECT g.parent_id, count(*)::integer AS children, (count(*) FILTER (WHERE g.failed))::integer AS failed
    FROM unnest(%(parents)s::uuid[], %(failed)s::boolean[]) AS g (parent_id, failed) GROUP BY g.parent_id
), locked AS MATERIALIZED (
    SELECT id FROM jobs WHERE id = ANY (%(parents)s) AND state = 'waiting' ORDER BY id FOR UPDATE
), woken AS (
    UPDATE jobs p SET children_left = greatest(0, p.children_left - e.children),
        children_failed = least(p.children, p.children_failed + e.failed),
        state = CASE WHEN p.children_left > e.children THEN 'waiting' ELSE 'pending' END,
        run_at = CASE WHEN p.children_left > e.children THEN p.run_at END
    FROM locked l JOIN ended e ON e.parent_id = l.id
    WHERE p.id = l.id AND p.state = 'waiting'
    RETURNING p.pool, p.state
)
SELECT pg_notify('docyard_jobs', w.pool) FROM (SELECT DISTINCT pool FROM woken WHERE state = 'pending') w

-- name: wake_orphans
-- Wakes waiting parents whose children were deleted without a settlement, such as those of a deleted document.
WITH orphaned AS MATERIALIZED (
    SELECT p.id FROM jobs p WHERE p.state = 'waiting' AND NOT EXISTS (SELECT FROM jobs c WHERE c.parent_id = p.id)
    ORDER BY p.id FOR UPDATE OF p SKIP LOCKED
)
UPDATE jobs p SET state = 'pending', run_at = NULL, children_left = 0,
    children_failed = least(p.children, p.children_failed + p.children_left)
FROM orphaned o WHERE p.id = o.id
RETURNING p.id, pg_notify('docyard_jobs', p.pool) AS notified

-- name: take_over_overdue_parents
-- Leases a batch of overdue waiting parents to the reaper, under a new fence.
WITH late AS (
    SELECT id FROM jobs WHERE state = 'waiting' AND run_at < clock_timestamp()
    ORDER BY run_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE jobs j SET state = 'running', attempts = j.attempts + 1, fence = j.fence + 1, run_at = NULL,
    children_left = 0, worker_id = %(reaper)s, started_at = clock_timestamp(),
    deadline_at = clock_timestamp() + interval '1 minute'
FROM late l WHERE j.id = l.id
RETURNING j.id, j.fence, j.workspace_id, j.pool, j.type, j.stage, j.document_id, j.tier, j.priority, j.attempts,
    j.max_attempts, j.arrived_at, j.children, j.children_failed,
    -- Other payloads are not needed, and a suspended reaper must not keep its locks because the answer is large.
    CASE WHEN j.type = 'document' THEN j.payload ELSE '{}' END AS payload,
    0.0::float8 AS seconds

-- name: count_live_children
-- Counts the children of a job that have not ended.
SELECT count(*) AS live FROM jobs WHERE parent_id = %(job_id)s
