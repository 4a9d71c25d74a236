-- name: read_clock
-- Returns the database's clock, the sum of the steps so far, and whether all stored times are shifted by it.
SELECT extract(epoch FROM clock_timestamp())::float8 AS database,
    coalesce((SELECT total FROM clock_steps ORDER BY id DESC LIMIT 1), 0)::float8 AS shifted,
    NOT EXISTS (SELECT FROM shift_remainders) AS is_shifted

-- name: newest_heartbeat
-- Returns the time of the latest heartbeat of any worker, which is in the future only after a step back. Heartbeats that
-- are still to be shifted by a step that was noticed do not count.
SELECT extract(epoch FROM max(w.heartbeat_at))::float8 AS newest FROM workers w WHERE NOT EXISTS (
    SELECT FROM shift_remainders r WHERE r.part = 'workers' AND (r.rest IS NULL OR w.id::text = ANY (r.rest)))

-- name: note_reading
-- Records the time up to which this worker has seen the database's clock advance like its own.
UPDATE workers SET clock_checked_at = to_timestamp(%(until)s)
WHERE id = (SELECT id FROM workers WHERE id = %(id)s FOR UPDATE SKIP LOCKED)

-- name: is_refuted
-- Returns whether another worker has seen the database's clock advance like its own over the whole period of the step.
SELECT EXISTS (
    SELECT FROM workers WHERE id <> %(id)s AND state IN ('alive', 'draining')
        AND started_at <= to_timestamp(%(began)s) AND clock_checked_at > to_timestamp(%(ended)s)) AS refuted

-- name: lock_clock
-- Tries to lock the handling of steps for this transaction.
SELECT pg_try_advisory_xact_lock(1685285995, hashtext('docyard.clock')) AS locked

-- name: prune_steps
-- Deletes steps older than this number of days, except the latest, which has the total.
DELETE FROM clock_steps WHERE noticed_at < clock_timestamp() - make_interval(days => %(days)s)
    AND id < (SELECT max(id) FROM clock_steps)

-- name: is_ahead
-- Returns whether steps in the last day set the clock forward by this number of seconds, and it was not set back since.
-- A step in the future was noticed before the clock was set back.
SELECT coalesce(max(newest.total - (s.total - s.seconds)) > %(seconds)s, false) AS ahead
FROM clock_steps s CROSS JOIN (SELECT total FROM clock_steps ORDER BY id DESC LIMIT 1) newest
WHERE s.noticed_at > clock_timestamp() - make_interval(secs => %(within)s)

-- name: latest_step
-- Returns the latest step.
SELECT noticed_at, seconds, worker_id, extract(epoch FROM clock_timestamp() - noticed_at)::float8 AS age
FROM clock_steps ORDER BY id DESC LIMIT 1
