-- name: shift_sessions
-- Shifts sessions, so that a step neither extends nor shortens them; returns those that another transaction has locked.
WITH chosen AS (
    SELECT token_hash FROM sessions WHERE %(rest)s::text[] IS NULL OR token_hash::text = ANY (%(rest)s::text[])
), shifted AS (
    UPDATE sessions SET
        created_at = shift_time(created_at, %(seconds)s, %(since)s, %(until)s),
        expires_at = expires_at + (shift_time(created_at, %(seconds)s, %(since)s, %(until)s) - created_at)
    WHERE token_hash = ANY (
        ARRAY(SELECT s.token_hash FROM sessions s JOIN chosen USING (token_hash) FOR UPDATE OF s SKIP LOCKED))
    RETURNING token_hash
)
SELECT token_hash::text AS key FROM chosen EXCEPT SELECT token_hash::text FROM shifted ORDER BY key

-- name: shift_links
-- Shifts sign-in links, so that a step neither extends nor shortens them; returns those that another transaction has
-- locked.
WITH chosen AS (
    SELECT token_hash FROM sign_in_links WHERE %(rest)s::text[] IS NULL OR token_hash::text = ANY (%(rest)s::text[])
), shifted AS (
    UPDATE sign_in_links SET
        created_at = shift_time(created_at, %(seconds)s, %(since)s, %(until)s),
        expires_at = expires_at + (shift_time(created_at, %(seconds)s, %(since)s, %(until)s) - created_at)
    WHERE token_hash = ANY (
        ARRAY(SELECT l.token_hash FROM sign_in_links l JOIN chosen USING (token_hash) FOR UPDATE OF l SKIP LOCKED))
    RETURNING token_hash
)
SELECT token_hash::text AS key FROM chosen EXCEPT SELECT token_hash::text FROM shifted ORDER BY key

-- name: shift_live_documents
-- After a step forward, shifts the last changes of documents that have not ended, so that they do not look stuck.
WITH live AS MATERIALIZED (
    SELECT id FROM documents
    WHERE completed_at IS NULL AND deleted_at IS NULL AND %(seconds)s > 0
    ORDER BY status = 'processing' DESC LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), shifted AS (
    UPDATE documents SET
        updated_at = shift_time(updated_at, %(seconds)s, %(since)s, %(until)s),
        attempt_started_at = shift_time(attempt_started_at, %(seconds)s, %(since)s, %(until)s)
    WHERE id = ANY (ARRAY(SELECT id FROM live))
)
SELECT '' AS key WHERE false

-- name: pull_ended_documents
-- Moves the times of a batch of ended documents out of the future, after a step back; returns the last of the batch.
WITH batch AS MATERIALIZED (
    SELECT id, completed_at AS place FROM documents
    WHERE completed_at > now() AND (completed_at, id) > (%(place)s::timestamptz, %(id)s::uuid) AND %(seconds)s < 0
    ORDER BY completed_at, id LIMIT %(limit)s
), pulled AS (
    UPDATE documents SET
        updated_at = pull_time(updated_at, %(seconds)s),
        attempt_started_at = pull_time(attempt_started_at, %(seconds)s),
        completed_at = pull_time(completed_at, %(seconds)s),
        first_completed_at = pull_time(first_completed_at, %(seconds)s)
    WHERE id = ANY (ARRAY(SELECT d.id FROM documents d JOIN batch USING (id) FOR UPDATE OF d SKIP LOCKED))
)
SELECT place::text AS place, id::text AS id, count(*) OVER () AS documents FROM batch ORDER BY batch.place DESC, batch.id DESC
LIMIT 1

-- name: pull_live_documents
-- Moves the times of a batch of documents that have not ended out of the future, after a step back; returns the last of
-- the batch.
WITH batch AS MATERIALIZED (
    SELECT id, created_at AS place FROM documents
    WHERE completed_at IS NULL AND deleted_at IS NULL AND greatest(updated_at, attempt_started_at) > now()
        AND (created_at, id) > (%(place)s::timestamptz, %(id)s::uuid) AND %(seconds)s < 0
    ORDER BY created_at, id LIMIT %(limit)s
), pulled AS (
    UPDATE documents SET
        updated_at = pull_time(updated_at, %(seconds)s), attempt_started_at = pull_time(attempt_started_at, %(seconds)s)
    WHERE id = ANY (ARRAY(SELECT d.id FROM documents d JOIN batch USING (id) FOR UPDATE OF d SKIP LOCKED))
)
SELECT place::text AS place, id::text AS id, count(*) OVER () AS documents FROM batch ORDER BY batch.place DESC, batch.id DESC
LIMIT 1
