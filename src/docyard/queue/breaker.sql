-- name: begin_window
-- Forgets what was counted of pools whose window has passed.
UPDATE pool_breakers SET failures = 0, successes = 0, window_began = clock_timestamp()
WHERE pool = ANY (%(pools)s) AND state = 'closed'
    AND (failures = 0 OR window_began < clock_timestamp() - make_interval(secs => %(window)s))

-- name: note_trouble
-- Counts failures that concern the whole pool, in the window that began with the first of them.
INSERT INTO pool_breakers AS b (pool, failures, category, message)
SELECT g.pool, count(*), max(g.category), max(g.message)
FROM unnest(%(pools)s::text[], %(categories)s::text[], %(messages)s::text[]) AS g (pool, category, message)
GROUP BY g.pool ORDER BY g.pool
ON CONFLICT (pool) DO UPDATE SET
    failures = b.failures + excluded.failures, category = excluded.category, message = excluded.message

-- name: trip
-- Opens breakers whose probe failed, or whose pool mostly fails; the pause doubles with each time in a row.
UPDATE pool_breakers SET state = 'open', trips = trips + 1, changed_at = clock_timestamp(),
    open_until = clock_timestamp() + make_interval(secs => %(pause)s * 2 ^ least(trips, %(doublings)s))
WHERE pool = ANY (%(pools)s) AND (
    state = 'half_open' OR state = 'closed' AND failures >= %(failures)s AND failures >= successes)
RETURNING pool, category, open_until

-- name: close_breaker
-- Lets a pool go on at once.
UPDATE pool_breakers SET state = 'closed', failures = 0, successes = 0, trips = 0, open_until = NULL,
    changed_at = clock_timestamp()
WHERE pool = %(name)s AND (state <> 'closed' OR failures > 0)
