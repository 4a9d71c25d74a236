-- name: pool_resources
-- Every pool and the resource it needs.
SELECT pool, resource FROM pools ORDER BY pool

-- name: create_pool
-- Makes a pool; one of that name keeps the limits it has.
INSERT INTO pools (pool, resource, deadline_seconds, max_running, rate_per_second, burst)
VALUES (%(name)s, %(resource)s, %(deadline)s, %(max_running)s, %(rate)s, %(burst)s)
ON CONFLICT (pool) DO NOTHING
RETURNING pool

-- name: ensure_pools
-- Makes the pools that are not there, and notes their order; what operators have set stays.
INSERT INTO pools AS p (pool, resource, place, deadline_seconds)
SELECT n.name, n.resource, n.place, %(deadline)s
FROM unnest(%(names)s::text[], %(resources)s::text[]) WITH ORDINALITY AS n (name, resource, place)
ON CONFLICT (pool) DO UPDATE SET place = excluded.place WHERE p.place IS DISTINCT FROM excluded.place
