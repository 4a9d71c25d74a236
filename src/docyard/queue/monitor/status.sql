-- name: list_tiers
-- Returns every tier with its guaranteed share, its objective and whether it is paused.
SELECT tier, name, weight::float8 / sum(weight) OVER () AS share, objective_seconds, paused FROM tiers ORDER BY tier

-- name: list_pools
-- Returns every pool with its limits and the state of its circuit breaker.
SELECT p.pool AS name, p.resource, p.paused, p.max_running, p.rate_per_second,
    coalesce(b.state, 'closed') AS breaker, b.open_until AS breaker_until,
    CASE WHEN b.state <> 'closed' THEN b.category END AS breaker_category,
    CASE WHEN b.state <> 'closed' THEN b.message END AS breaker_message
FROM pools p LEFT JOIN pool_breakers b ON b.pool = p.pool ORDER BY p.pool

-- name: running
-- Counts running jobs by pool.
SELECT pool, count(*) AS jobs FROM jobs WHERE state = 'running' GROUP BY pool

-- name: list_workers
-- Returns workers that are alive or draining, or sent a heartbeat in the last hour.
SELECT id, host, pid, pools, slots, state, rejected, started_at, lease_seconds,
    extract(epoch FROM clock_timestamp() - last_heartbeat(w))::float8 AS silent_seconds,
    extract(epoch FROM clock_timestamp() - greatest(progress_at, (
        SELECT h.progress_at FROM locked_heartbeats h WHERE h.worker_id = w.id)))::float8 AS idle_seconds,
    (SELECT count(*) FROM jobs j WHERE j.worker_id = w.id AND j.state = 'running') AS running
FROM workers w
WHERE state IN ('alive', 'draining') OR heartbeat_at > now() - interval '1 hour'
ORDER BY (state = 'alive') DESC, heartbeat_at DESC LIMIT 100

-- name: count_worker_states
-- Counts workers by state. An alive or draining worker whose last heartbeat is older than its lease counts as silent. A
-- heartbeat in the future is old: it was sent before the clock was set back.
SELECT CASE WHEN state IN ('alive', 'draining') AND last_heartbeat(w) NOT BETWEEN
        clock_timestamp() - make_interval(secs => lease_seconds) AND clock_timestamp() + interval '5 seconds'
        THEN 'silent' ELSE state END AS state,
    count(*) AS workers
FROM workers w GROUP BY 1

-- name: find_work
-- Returns whether any job is pending, and whether any is left for workers: pending, running, or scheduled and due.
SELECT p.pending, p.pending OR EXISTS (SELECT FROM jobs WHERE state = 'running')
    OR EXISTS (SELECT FROM jobs WHERE state = 'scheduled' AND run_at < clock_timestamp()) AS left
FROM (SELECT EXISTS (SELECT FROM jobs WHERE state = 'pending') AS pending) p

-- name: list_limited_workspaces
-- Returns workspaces that are paused, limited, or have used up their retry budget.
SELECT w.name, coalesce(l.paused, false) AS paused, l.max_running,
    CASE WHEN b.period_began + b.period > clock_timestamp() THEN b.spent ELSE 0 END AS retries_spent, b.most AS retries_most,
    CASE WHEN b.period_began > clock_timestamp() THEN b.period_began END AS retries_from
FROM workspaces w LEFT JOIN workspace_limits l ON l.workspace_id = w.id
LEFT JOIN retry_budgets b ON b.workspace_id = w.id
WHERE l.workspace_id IS NOT NULL
    OR b.period_began + b.period > clock_timestamp() AND (b.spent >= b.most OR b.period_began > clock_timestamp())
ORDER BY w.name LIMIT 100

-- name: find_stuck_documents
-- Returns documents that have been stuck for this number of seconds (default: an hour), optionally only these ids.
-- A document with several jobs shows the one whose stage comes first, like document_processing_queue.
SELECT d.id, d.name, w.name AS workspace, d.status, d.stage, d.reason, j.state AS job,
    coalesce(j.attempts, l.attempts) AS attempts, j.worker_id AS worker,
    extract(epoch FROM clock_timestamp() - s.unchanged_since)::float8 AS silent_seconds
FROM find_stuck_documents(coalesce(make_interval(secs => %(seconds)s::float8), interval '1 hour')) s
JOIN documents d ON d.id = s.document_id JOIN workspaces w ON w.id = d.workspace_id
LEFT JOIN LATERAL (
    SELECT state, attempts, worker_id FROM jobs WHERE document_id = d.id AND type = 'document'
    ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1) j ON true
LEFT JOIN LATERAL (
    SELECT attempts FROM dead_letters WHERE document_id = d.id AND type = 'document'
    ORDER BY died_at DESC LIMIT 1) l ON true
WHERE %(ids)s::uuid[] IS NULL OR s.document_id = ANY (%(ids)s)
ORDER BY s.unchanged_since LIMIT %(limit)s

-- name: count_documents
-- Counts the documents of all workspaces by status.
SELECT status, count(*) AS documents FROM documents WHERE deleted_at IS NULL GROUP BY status

-- name: count_documents_waiting_for_retry
-- Counts the documents between two attempts. They are pending here and on pages, but failed in document_processing_queue.
SELECT count(DISTINCT d.id) AS documents FROM jobs j JOIN documents d ON d.id = j.document_id
WHERE j.type = 'document' AND j.state = 'scheduled' AND NOT is_held(j.state, j.started_at)
    AND job_word(j.state, j.attempts, j.failure_history, j.run_at) = 'failed'
    AND d.completed_at IS NULL AND d.deleted_at IS NULL

-- name: find_failed_documents
-- Returns failed documents, latest first.
SELECT d.id, d.name, d.reason_category AS category, d.reason, d.completed_at
FROM documents d WHERE d.status = 'failed' AND d.deleted_at IS NULL
ORDER BY d.completed_at DESC LIMIT %(limit)s
