-- name: pool_resources
-- Every pool and the resource it needs.
SELECT pool, resource FROM pools ORDER BY pool

-- name: create_pool
-- Makes a pool; one of that name keeps the limits it has.
INSERT INTO pools (pool, resource, deadline_seconds, max_running, rate_per_second, burst)
VALUES (%(name)s, %(resource)s, %(deadline)s, %(max_running)s, %(rate)s, %(burst)s)
ON CONFLICT (pool) DO NOTHING
RETURNING pool
