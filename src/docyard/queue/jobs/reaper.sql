-- name: mark_lost
-- Marks workers as lost if their heartbeat is older than their lease.
WITH silent AS (
    SELECT id FROM workers w
    WHERE state IN ('alive', 'draining') AND last_heartbeat(w) < clock_timestamp() - make_interval(secs => lease_seconds)
    FOR UPDATE SKIP LOCKED
)
UPDATE workers w SET state = 'lost' FROM silent s WHERE w.id = s.id RETURNING w.id

-- name: take_over
-- Leases a batch of stale jobs to the reaper, under a new fence: their worker is gone or their deadline has passed.
WITH stale AS (
    SELECT j.id, j.worker_id AS previous_worker, j.deadline_at < clock_timestamp() AS overdue,
        coalesce(w.state = 'stopped', false) AS kept
    FROM jobs j LEFT JOIN workers w ON w.id = j.worker_id
    WHERE j.state = 'running'
        AND (j.deadline_at < clock_timestamp() OR w.id IS NULL OR w.state IN ('lost', 'stopped')
            -- Another transaction may have locked the row of the worker, so that it cannot be marked as lost.
            OR last_heartbeat(w) < clock_timestamp() - make_interval(secs => w.lease_seconds))
    ORDER BY j.deadline_at LIMIT %(limit)s
    FOR UPDATE OF j SKIP LOCKED
)
UPDATE jobs j SET fence = j.fence + 1, worker_id = %(reaper)s,
    deadline_at = clock_timestamp() + interval '1 minute'
FROM stale s WHERE j.id = s.id
RETURNING j.id, j.fence, j.workspace_id, j.pool, j.type, j.stage, j.document_id, j.tier, j.priority, j.attempts,
    j.max_attempts, j.arrived_at, j.children, j.children_failed,
    -- Other payloads are not needed, and a suspended reaper must not keep its locks because the answer is large.
    CASE WHEN j.type = 'document' THEN j.payload ELSE '{}' END AS payload,
    s.previous_worker, s.overdue, s.kept, extract(epoch FROM clock_timestamp() - j.started_at)::float8 AS seconds
