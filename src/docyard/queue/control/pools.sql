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
-- Makes the pools that are not there, and notes what the program knows of them; what operators have set stays.
INSERT INTO pools AS p (pool, resource, gives, place, deadline_seconds)
SELECT n.name, n.resource, n.gives, n.place, %(deadline)s
FROM unnest(%(names)s::text[], %(resources)s::text[], %(gives)s::text[]) WITH ORDINALITY
    AS n (name, resource, gives, place)
ON CONFLICT (pool) DO UPDATE SET place = excluded.place, gives = excluded.gives
WHERE (p.place, p.gives) IS DISTINCT FROM (excluded.place, excluded.gives)
