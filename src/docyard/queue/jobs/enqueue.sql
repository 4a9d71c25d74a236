-- name: enqueue
-- Puts jobs into the queue, skipping work that is already live, and wakes the pools' workers.
WITH given AS (
    SELECT * FROM unnest(
        %(workspace_id)s::uuid[], %(pool)s::text[], %(type)s::text[], %(stage)s::text[], %(document_id)s::uuid[],
        %(tier)s::smallint[], %(priority)s::integer[], %(payload)s::jsonb[], %(entity_type)s::text[],
        %(entity_id)s::text[], %(dedupe_key)s::text[], %(max_attempts)s::integer[], %(delay_seconds)s::float8[],
        %(arrived_at)s::timestamptz[], %(parent_id)s::uuid[]
    ) WITH ORDINALITY AS g (
        workspace_id, pool, type, stage, document_id, tier, priority, payload, entity_type, entity_id, dedupe_key,
        max_attempts, delay, arrived_at, parent_id, place)
), added AS (
    INSERT INTO jobs (
        workspace_id, pool, type, stage, document_id, tier, priority, payload, entity_type, entity_id, dedupe_key,
        max_attempts, state, run_at, arrived_at, parent_id)
    SELECT workspace_id, pool, type, stage, document_id, tier, priority, payload, entity_type, entity_id, dedupe_key,
        max_attempts, CASE WHEN delay > 0 THEN 'scheduled' ELSE 'pending' END,
        CASE WHEN delay > 0 THEN now() + make_interval(secs => delay) END,
        -- What is meant for later arrives later, too: it neither overtakes nor counts as having waited.
        coalesce(arrived_at, now() + make_interval(secs => greatest(delay, 0))), parent_id
    FROM given ORDER BY place
    ON CONFLICT DO NOTHING
    RETURNING id, pool, state
), told AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (
        SELECT DISTINCT pool FROM added WHERE state = 'pending' AND pool = ANY (%(tell)s)) p
)
SELECT id, (SELECT count(*) FROM told) AS told FROM added

-- name: find_live
-- The live job that does this work, if there is one.
SELECT id FROM jobs WHERE workspace_id = %(workspace_id)s AND dedupe_key = %(dedupe_key)s

-- name: live_by_key
-- The live jobs that do these works, with what each was told.
SELECT id, dedupe_key, payload FROM jobs WHERE workspace_id = %(workspace_id)s AND dedupe_key = ANY (%(dedupe_keys)s)
