-- name: get_pool_resources
-- Returns every pool with its resource.
SELECT pool, resource FROM pools ORDER BY pool

-- name: create_pool
-- Creates a pool. An existing pool of this name is not changed.
INSERT INTO pools (pool, resource, deadline_seconds, max_running, rate_per_second, burst)
VALUES (%(name)s, %(resource)s, %(deadline)s, %(max_running)s, %(rate)s, %(burst)s)
ON CONFLICT (pool) DO NOTHING
RETURNING pool

-- name: find_pools
-- Returns the definitions of pools, in the order of their stages in the pipeline.
SELECT pool AS name, resource, gives FROM pools WHERE pool = ANY (%(names)s) ORDER BY place, pool

-- name: ensure_pools
-- Creates pools, or updates their definitions; pauses and limits set by operators are kept.
-- Returns the pools that are new or changed, with their previous resource.
WITH before AS (SELECT pool, resource FROM pools)
INSERT INTO pools AS p (pool, resource, gives, place, deadline_seconds)
SELECT n.name, n.resource, n.gives, n.place, %(deadline)s
FROM unnest(%(names)s::text[], %(resources)s::text[], %(gives)s::text[]) WITH ORDINALITY
    AS n (name, resource, gives, place)
ON CONFLICT (pool) DO UPDATE SET resource = excluded.resource, place = excluded.place, gives = excluded.gives
WHERE (p.resource, p.place, p.gives) IS DISTINCT FROM (excluded.resource, excluded.place, excluded.gives)
RETURNING p.pool AS name, p.resource, (SELECT b.resource FROM before b WHERE b.pool = p.pool) AS resource_before
