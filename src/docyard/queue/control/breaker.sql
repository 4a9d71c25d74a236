-- name: record_outcomes
-- Records how many settled jobs of each pool succeeded or failed systemically, for the pool's next claim.
INSERT INTO breaker_marks (pool, good, bad, started_at, category, message)
SELECT g.pool, count(*) FILTER (WHERE g.good), count(*) FILTER (WHERE NOT g.good), max(g.started_at),
    max(g.category) FILTER (WHERE NOT g.good), max(g.message) FILTER (WHERE NOT g.good)
FROM unnest(%(pools)s::text[], %(good)s::boolean[], %(started)s::timestamptz[], %(categories)s::text[],
    %(messages)s::text[]) AS g (pool, good, started_at, category, message)
GROUP BY g.pool, g.good

-- name: close_breaker
-- Closes the breaker of a pool and deletes the recorded outcomes.
WITH deleted AS (
    DELETE FROM breaker_marks WHERE pool = %(name)s
)
UPDATE pool_breakers SET state = 'closed', failures = 0, successes = 0, trips = 0, open_until = NULL,
    changed_at = clock_timestamp()
WHERE pool = %(name)s AND (state <> 'closed' OR failures > 0)
