-- name: register
-- Registers a worker.
INSERT INTO workers (id, host, pid, pools, slots, lease_seconds)
VALUES (%(id)s, %(host)s, %(pid)s, %(pools)s, %(slots)s, %(lease_seconds)s)

-- name: heartbeat
-- Records a heartbeat, and when the main loop of the worker last completed a round. Returns no row if the worker was
-- declared lost and must give up its leases.
UPDATE workers SET heartbeat_at = clock_timestamp(),
    progress_at = clock_timestamp() - make_interval(secs => %(idle_seconds)s)
WHERE id = %(id)s AND state IN ('alive', 'draining') RETURNING id

-- name: keep_heartbeat
-- Records a heartbeat outside the row of the worker, which another transaction has locked.
INSERT INTO locked_heartbeats (worker_id, heartbeat_at, progress_at)
VALUES (%(id)s, clock_timestamp(), clock_timestamp() - make_interval(secs => %(idle_seconds)s))
ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at, progress_at = excluded.progress_at

-- name: start_draining
-- Marks a worker as draining: it claims no more jobs and finishes those it has.
UPDATE workers SET state = 'draining' WHERE id = %(id)s AND state = 'alive'

-- name: stop_worker
-- Marks a worker as stopped after an orderly shutdown, or as lost.
UPDATE workers SET state = %(state)s WHERE id = %(id)s AND state IN ('alive', 'draining')

-- name: count_rejected
-- Counts refused results per worker and in the tallies.
WITH input AS (
    SELECT * FROM unnest(%(workers)s::uuid[], %(pools)s::text[], %(tiers)s::smallint[]) AS g (worker_id, pool, tier)
), tallied AS (
    INSERT INTO tallies (pool, tier, event, jobs) SELECT pool, tier, 'refused', count(*) FROM input GROUP BY 1, 2
)
UPDATE workers w SET rejected = w.rejected + g.refused
FROM (SELECT worker_id, count(*) AS refused FROM input GROUP BY 1) g WHERE w.id = g.worker_id

-- name: delete_old_workers
-- Deletes stopped and lost workers whose last heartbeat was more than this number of days ago.
WITH deleted AS (
    DELETE FROM workers
    WHERE state IN ('stopped', 'lost') AND heartbeat_at < now() - make_interval(days => %(days)s) RETURNING id
)
DELETE FROM locked_heartbeats WHERE worker_id IN (SELECT id FROM deleted)

-- name: release_leases
-- Releases a worker's leases that are at least this number of seconds old, without using an attempt.
-- Jobs in except_jobs, and jobs that another transaction has locked, remain leased.
WITH free AS MATERIALIZED (
    SELECT id FROM jobs
    WHERE worker_id = %(id)s AND state = 'running' AND NOT id = ANY (%(except_jobs)s)
        AND started_at <= clock_timestamp() - make_interval(secs => %(held_seconds)s)
    ORDER BY id FOR UPDATE SKIP LOCKED
), released AS (
    UPDATE jobs j SET state = 'pending', worker_id = NULL, deadline_at = NULL, started_at = NULL,
        attempts = j.attempts - 1, fence = j.fence + 1
    FROM free f WHERE j.id = f.id
    -- Jobs of other types may refer to a document, but only its document job decides its status.
    RETURNING j.id, j.pool, CASE WHEN j.type = 'document' THEN j.document_id END AS document_id
), notified AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM released) p
)
SELECT id, document_id, (SELECT count(*) FROM notified) AS notified FROM released

-- name: find_leased_jobs
-- Returns the jobs leased to a worker, with their fences.
SELECT id, fence FROM jobs WHERE worker_id = %(id)s AND state = 'running'

-- name: set_pools
-- Records which pools a worker serves.
UPDATE workers SET pools = %(pools)s WHERE id = %(id)s
