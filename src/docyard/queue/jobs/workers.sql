-- name: register
-- A worker introduces itself.
INSERT INTO workers (id, host, pid, pools, slots, lease_seconds)
VALUES (%(id)s, %(host)s, %(pid)s, %(pools)s, %(slots)s, %(lease_seconds)s)

-- name: heartbeat
-- A worker says it lives; no row means it was declared lost and holds nothing any more.
UPDATE workers SET heartbeat_at = clock_timestamp()
WHERE id = %(id)s AND state IN ('alive', 'draining') RETURNING id

-- name: start_draining
-- A worker takes nothing new and finishes what it holds.
UPDATE workers SET state = 'draining' WHERE id = %(id)s AND state = 'alive'

-- name: leave
-- A worker goes in order.
UPDATE workers SET state = 'stopped' WHERE id = %(id)s AND state IN ('alive', 'draining')

-- name: count_rejected
-- Counts results that came too late and were refused, with their workers and in the tallies.
WITH given AS (
    SELECT * FROM unnest(%(workers)s::uuid[], %(pools)s::text[], %(tiers)s::smallint[]) AS g (worker_id, pool, tier)
), tallied AS (
    INSERT INTO tallies (pool, tier, event, jobs) SELECT pool, tier, 'refused', count(*) FROM given GROUP BY 1, 2
)
UPDATE workers w SET rejected = w.rejected + g.refused
FROM (SELECT worker_id, count(*) AS refused FROM given GROUP BY 1) g WHERE w.id = g.worker_id

-- name: forget_workers
-- Drops workers that ended long ago.
DELETE FROM workers
WHERE state IN ('stopped', 'lost') AND heartbeat_at < now() - make_interval(days => %(days)s)

-- name: give_back
-- Returns what a worker has held for a while, except the jobs it knows of, without spending an attempt.
WITH returned AS (
    UPDATE jobs SET state = 'pending', worker_id = NULL, deadline_at = NULL, started_at = NULL,
        attempts = attempts - 1, fence = fence + 1
    WHERE worker_id = %(id)s AND state = 'running' AND NOT id = ANY (%(except_jobs)s)
        AND started_at <= clock_timestamp() - make_interval(secs => %(held_seconds)s)
    RETURNING id, pool, document_id
), told AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM returned) p
)
SELECT id, document_id, (SELECT count(*) FROM told) AS told FROM returned

-- name: held_jobs
-- What a worker holds by the database's books: each job and the fence it was given under.
SELECT id, fence FROM jobs WHERE worker_id = %(id)s AND state = 'running'

-- name: serve_pools
-- A worker says which pools it serves from now on.
UPDATE workers SET pools = %(pools)s WHERE id = %(id)s
