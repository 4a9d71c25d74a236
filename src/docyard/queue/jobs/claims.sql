-- name: claim
-- Leases jobs of a pool to a worker, up to a limit, by the rules of claim_jobs().
SELECT id, fence, workspace_id, pool, type, stage, document_id, tier, priority, payload, attempts, max_attempts,
    arrived_at, children, children_failed
FROM claim_jobs(%(pool)s, %(worker_id)s, %(limit)s)

-- name: find_pools_with_jobs
-- Returns the given pools that have a pending job, with one index probe per pool.
SELECT p.pool FROM unnest(%(pools)s::text[]) AS p (pool) CROSS JOIN LATERAL (
    -- Without ORDER BY, the planner may expect most rows to match and scan the whole table for an empty pool.
    SELECT FROM jobs j WHERE j.state = 'pending' AND j.pool = p.pool ORDER BY j.tier, j.workspace_id LIMIT 1) AS one
