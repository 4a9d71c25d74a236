-- name: dead_letters
-- Returns dead letters that match every filter that is not NULL, newest first.
SELECT l.id, l.workspace_id, l.type, l.stage, l.document_id, d.name AS document_name, l.category, l.message,
    l.fingerprint, l.attempts, l.died_at, l.failure_history
FROM dead_letters l LEFT JOIN documents d ON d.id = l.document_id
WHERE (%(category)s::text IS NULL OR l.category = %(category)s)
    AND (%(cause)s::text IS NULL OR starts_with(l.fingerprint, %(cause)s))
    AND (%(ids)s::uuid[] IS NULL OR l.id = ANY (%(ids)s))
    AND (%(document_id)s::uuid IS NULL OR l.document_id = %(document_id)s)
ORDER BY l.died_at DESC, l.id LIMIT %(limit)s

-- name: find_dead_letter_ids
-- Returns the ids of all dead letters, newest first, optionally of one category or cause, or among these ids.
SELECT id FROM dead_letters
WHERE (%(category)s::text IS NULL OR category = %(category)s)
    AND (%(cause)s::text IS NULL OR starts_with(fingerprint, %(cause)s))
    AND (%(ids)s::uuid[] IS NULL OR id = ANY (%(ids)s))
ORDER BY died_at DESC, id

-- name: replay
-- Enqueues dead letters again with all attempts left. A dead letter is kept if a live job has its dedupe key.
WITH chosen AS (
    SELECT * FROM dead_letters WHERE id = ANY (%(ids)s) ORDER BY id FOR UPDATE
), revived AS (
    INSERT INTO jobs (
        id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload, dedupe_key,
        max_attempts, replays, fence, failure_history, arrived_at)
    SELECT id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
        dedupe_key, max_attempts, replays + 1, fence, failure_history, arrived_at
    FROM chosen ORDER BY workspace_id, dedupe_key, id  -- the order of enqueue
    ON CONFLICT DO NOTHING RETURNING id, pool, type, document_id
), gone AS (
    DELETE FROM dead_letters WHERE id IN (SELECT id FROM revived)
), notified AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM revived) p
)
SELECT id, CASE WHEN type = 'document' THEN document_id END AS document_id,
    (SELECT count(*) FROM notified) AS notified
FROM revived

-- name: find_causes
-- Groups dead letters by cause, most frequent first.
SELECT fingerprint, category, coalesce(stage, type) AS stage, count(*) AS letters, min(message) AS example,
    max(died_at) AS latest
FROM dead_letters WHERE %(fingerprint)s::text IS NULL OR fingerprint = %(fingerprint)s
GROUP BY fingerprint, category, coalesce(stage, type)
ORDER BY letters DESC, latest DESC LIMIT %(limit)s

-- name: lock_superseded
-- Locks dead letters from one type of job of these documents, except those that another transaction replays or discards.
SELECT id FROM dead_letters WHERE document_id = ANY (%(document_ids)s) AND type = %(type)s
ORDER BY id FOR UPDATE SKIP LOCKED

-- name: discard
-- Deletes dead letters and records them in the history as discarded.
WITH chosen AS MATERIALIZED (
    SELECT id FROM dead_letters WHERE id = ANY (%(ids)s) ORDER BY id FOR UPDATE
), gone AS (
    DELETE FROM dead_letters WHERE id IN (SELECT id FROM chosen) RETURNING *
)
INSERT INTO job_history (
    id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
    fence, failure_history, arrived_at, started_at, finished_at)
SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, 'discarded', attempts, replays,
    fence, failure_history, arrived_at, started_at, clock_timestamp()
FROM gone RETURNING id
