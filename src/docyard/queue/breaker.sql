-- name: lock_breakers
-- Locks the breakers of several pools in order.
SELECT FROM pool_breakers WHERE pool = ANY (%(pools)s) ORDER BY pool FOR UPDATE

-- name: calm
-- Counts successes of pools that had trouble; that of a probe closes the breaker.
UPDATE pool_breakers b SET
    state = 'closed', trips = CASE b.state WHEN 'half_open' THEN 0 ELSE b.trips END,
    failures = CASE b.state WHEN 'half_open' THEN 0 ELSE b.failures END,
    successes = CASE b.state WHEN 'half_open' THEN 0 ELSE b.successes + s.jobs END,
    changed_at = CASE b.state WHEN 'half_open' THEN clock_timestamp() ELSE b.changed_at END
FROM (SELECT g.pool, count(*) AS jobs, max(g.started_at) AS started_at
      FROM unnest(%(pools)s::text[], %(started)s::timestamptz[]) AS g (pool, started_at) GROUP BY g.pool) s
-- What started before the breaker let a probe through proves nothing.
WHERE b.pool = s.pool
    AND (b.state = 'half_open' AND s.started_at >= b.changed_at OR b.state = 'closed' AND b.failures > 0)

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
UPDATE pool_breakers b SET state = 'open', trips = b.trips + 1, changed_at = clock_timestamp(),
    open_until = clock_timestamp() + make_interval(secs => %(pause)s * 2 ^ least(b.trips, %(doublings)s))
FROM (SELECT g.pool, max(g.started_at) AS started_at
      FROM unnest(%(pools)s::text[], %(started)s::timestamptz[]) AS g (pool, started_at) GROUP BY g.pool) s
-- A straggler that started before the probe says nothing new.
WHERE b.pool = s.pool AND (
    b.state = 'half_open' AND s.started_at >= b.changed_at
    OR b.state = 'closed' AND b.failures >= %(failures)s AND b.failures >= b.successes)
RETURNING b.pool, b.category, b.open_until

-- name: close_breaker
-- Lets a pool go on at once.
UPDATE pool_breakers SET state = 'closed', failures = 0, successes = 0, trips = 0, open_until = NULL,
    changed_at = clock_timestamp()
WHERE pool = %(name)s AND (state <> 'closed' OR failures > 0)
