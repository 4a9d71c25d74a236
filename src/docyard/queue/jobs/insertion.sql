-- name: enqueue
-- Inserts jobs, except those whose dedupe key a live job already has, and notifies workers of the pools in notify_pools.
WITH input AS MATERIALIZED (
    SELECT new_job_id() AS id, g.* FROM unnest(
        %(workspace_id)s::uuid[], %(pool)s::text[], %(type)s::text[], %(stage)s::text[], %(document_id)s::uuid[],
        %(tier)s::smallint[], %(priority)s::integer[], %(payload)s::jsonb[], %(entity_type)s::text[],
        %(entity_id)s::text[], %(dedupe_key)s::text[], %(max_attempts)s::integer[], %(delay_seconds)s::float8[],
        %(arrived_at)s::timestamptz[], %(parent_id)s::uuid[]
    ) WITH ORDINALITY AS g (
        workspace_id, pool, type, stage, document_id, tier, priority, payload, entity_type, entity_id, dedupe_key,
        max_attempts, delay, arrived_at, parent_id, place)
), added AS (
    INSERT INTO jobs (
        id, workspace_id, pool, type, stage, document_id, tier, priority, payload, entity_type, entity_id, dedupe_key,
        max_attempts, state, run_at, arrived_at, parent_id)
    SELECT id, workspace_id, pool, type, stage, document_id, tier, priority, payload, entity_type, entity_id, dedupe_key,
        max_attempts, CASE WHEN delay > 0 THEN 'scheduled' ELSE 'pending' END,
        CASE WHEN delay > 0 THEN now() + make_interval(secs => delay) END,
        -- A delayed job counts as arrived when it is due: the delay neither improves its place nor counts as waiting.
        -- A given arrival is in the future only if the clock was set back since; then it must not come after later jobs.
        coalesce(CASE WHEN arrived_at > now() THEN now() ELSE arrived_at END,
            now() + make_interval(secs => greatest(delay, 0))), parent_id
    FROM input
    -- All transactions insert keys in one order: two that insert the same keys in different orders would deadlock.
    ORDER BY workspace_id, dedupe_key, place
    ON CONFLICT DO NOTHING
    RETURNING id, pool, state
), notified AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (
        SELECT DISTINCT pool FROM added WHERE state = 'pending' AND pool = ANY (%(notify_pools)s)) p
)
SELECT a.id, (SELECT count(*) FROM notified) AS notified FROM added a JOIN input i ON i.id = a.id ORDER BY i.place

-- name: find_by_dedupe_key
-- Returns the live job with this dedupe key.
SELECT id FROM jobs WHERE workspace_id = %(workspace_id)s AND dedupe_key = %(dedupe_key)s

-- name: find_by_dedupe_keys
-- Returns the live jobs with these dedupe keys, with their payloads.
SELECT id, dedupe_key, payload FROM jobs WHERE workspace_id = %(workspace_id)s AND dedupe_key = ANY (%(dedupe_keys)s)
