-- name: states
-- Counts live jobs by state.
SELECT state, count(*) AS jobs FROM jobs GROUP BY state

-- name: tiers
-- Counts pending and running jobs by tier, with the oldest wait and the guaranteed share.
SELECT t.name, t.weight::float8 / sum(t.weight) OVER () AS share,
    count(j.id) FILTER (WHERE j.state = 'pending') AS pending,
    count(j.id) FILTER (WHERE j.state = 'running') AS running,
    coalesce(extract(epoch FROM now() - min(j.arrived_at) FILTER (WHERE j.state = 'pending')), 0)::float8 AS oldest_wait
FROM tiers t LEFT JOIN jobs j ON j.tier = t.tier
GROUP BY t.tier, t.name, t.weight ORDER BY t.tier

-- name: workers
-- Lists the workers that live or were heard of in the last hour.
SELECT id, host, pid, pools, slots, state, rejected, started_at,
    extract(epoch FROM clock_timestamp() - heartbeat_at)::float8 AS silent_seconds,
    (SELECT count(*) FROM jobs j WHERE j.worker_id = w.id AND j.state = 'running') AS running
FROM workers w
WHERE state IN ('alive', 'draining') OR heartbeat_at > now() - interval '1 hour'
ORDER BY (state = 'alive') DESC, heartbeat_at DESC LIMIT 100

-- name: totals
-- Counts dead letters and the jobs finished in the last hour.
SELECT (SELECT count(*) FROM dead_letters) AS dead,
    (SELECT count(*) FROM job_history WHERE finished_at > now() - interval '1 hour') AS finished_last_hour

-- name: pools
-- Every pool with what waits and runs in it, and what holds it back.
SELECT p.pool AS name, p.resource, p.paused, p.max_running, p.rate_per_second,
    count(j.id) FILTER (WHERE j.state = 'pending') AS pending,
    count(j.id) FILTER (WHERE j.state = 'scheduled') AS scheduled,
    count(j.id) FILTER (WHERE j.state = 'running') AS running,
    coalesce(b.state, 'closed') AS breaker, b.open_until AS breaker_until
FROM pools p LEFT JOIN pool_breakers b ON b.pool = p.pool LEFT JOIN jobs j ON j.pool = p.pool
GROUP BY p.pool, b.pool ORDER BY p.pool

-- name: stuck
-- Documents that have not ended and that nothing has touched for so long, the oldest first.
SELECT d.id, d.name, d.status, d.stage, d.reason, j.state AS job, j.attempts, j.worker_id AS worker,
    extract(epoch FROM now() - d.updated_at)::float8 AS silent_seconds
FROM documents d LEFT JOIN jobs j ON j.document_id = d.id
WHERE d.completed_at IS NULL AND d.deleted_at IS NULL
    AND d.updated_at < now() - make_interval(secs => %(seconds)s)
ORDER BY d.updated_at LIMIT %(most)s

-- name: failed
-- Documents that failed, the latest first.
SELECT d.id, d.name, d.reason_category AS category, d.reason, d.completed_at
FROM documents d WHERE d.status = 'failed' AND d.deleted_at IS NULL
ORDER BY d.completed_at DESC LIMIT %(most)s
