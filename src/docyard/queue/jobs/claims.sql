-- name: claim
-- Leases jobs of a pool to a worker, up to a limit, by the rules of claim_jobs().
SELECT id, fence, workspace_id, type, stage, document_id, tier, priority, payload, attempts, max_attempts,
    arrived_at, children, children_failed
FROM claim_jobs(%(pool)s, %(worker_id)s, %(limit)s)

-- name: read_payloads
-- Returns the payloads of jobs that are still leased to this worker.
SELECT id, payload FROM jobs WHERE id = ANY (%(ids)s) AND worker_id = %(worker_id)s

-- name: find_pools_with_jobs
-- Returns the given pools that may have a pending job: those with active or held lanes, arrivals that no claim has read,
-- or a sweep that is due. The pending index is not read, because it may begin with many entries that are not visible.
SELECT p.pool FROM pools p
WHERE p.pool = ANY (%(pools)s) AND (
    p.swept_at NOT BETWEEN clock_timestamp() - greatest(p.sweep_cost * 20, interval '30 seconds') AND clock_timestamp()
    OR EXISTS (SELECT FROM lanes l WHERE l.pool = p.pool AND l.held)
    OR EXISTS (
        SELECT FROM tiers t CROSS JOIN LATERAL (
            SELECT k.lowest_vtime FROM pool_tiers k WHERE k.pool = p.pool AND k.tier = t.tier ORDER BY k.vtime DESC LIMIT 1) n
        CROSS JOIN LATERAL (
            SELECT FROM lanes l WHERE l.pool = p.pool AND l.tier = t.tier AND l.active AND l.vtime >= n.lowest_vtime
            ORDER BY l.vtime, l.workspace_id LIMIT 1) one)
    OR EXISTS (
        SELECT FROM (SELECT) AS once LEFT JOIN LATERAL (
            SELECT k.read_to, k.unfinished FROM arrival_reads k WHERE k.pool = p.pool ORDER BY k.read_to DESC LIMIT 1
        ) r ON true
        WHERE r.read_to > pg_snapshot_xmax(pg_current_snapshot())  -- the database was restored to another server
            OR EXISTS (SELECT FROM arrivals a WHERE a.pool = p.pool AND a.xid >= coalesce(r.read_to, '0'))
            OR EXISTS (
                SELECT FROM unnest(r.unfinished) AS u (xid) JOIN arrivals a ON a.pool = p.pool AND a.xid = u.xid
                WHERE pg_visible_in_snapshot(u.xid, pg_current_snapshot()))))
