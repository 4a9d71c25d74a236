-- name: claim
-- Gives up to so many jobs of a pool to a worker, by tiers' shares, workspaces in turn, priority and arrival.
SELECT id, fence, workspace_id, pool, type, stage, document_id, tier, priority, payload, attempts, max_attempts,
    arrived_at, children, children_failed
FROM claim_jobs(%(pool)s, %(worker_id)s, %(most)s)

-- name: pools_with_work
-- Names those of the given pools that have a pending job; one index probe each.
SELECT p.pool FROM unnest(%(pools)s::text[]) AS p (pool) CROSS JOIN LATERAL (
    -- Without the order a planner that knows how full the busy pools are reads the whole table for an empty one.
    SELECT FROM jobs j WHERE j.state = 'pending' AND j.pool = p.pool ORDER BY j.tier, j.workspace_id LIMIT 1) AS one
