-- name: shift_sessions
-- Shifts sessions, so that a step neither extends nor shortens them.
UPDATE sessions SET
    created_at = shift_time(created_at, %(seconds)s, %(since)s, %(until)s),
    expires_at = expires_at + (shift_time(created_at, %(seconds)s, %(since)s, %(until)s) - created_at)

-- name: shift_links
-- Shifts the end of sign-in links, if it is known when the clock stepped: a link made after that must stay valid.
UPDATE sign_in_links SET expires_at = expires_at + make_interval(secs => %(seconds)s) WHERE %(since)s > 0

-- name: shift_live_documents
-- After a step forward, shifts the last changes of documents that have not ended, so that they do not look stuck.
WITH live AS MATERIALIZED (
    SELECT id FROM documents
    WHERE completed_at IS NULL AND deleted_at IS NULL AND %(seconds)s > 0
    ORDER BY status = 'processing' DESC LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE documents SET
    updated_at = shift_time(updated_at, %(seconds)s, %(since)s, %(until)s),
    attempt_started_at = shift_time(attempt_started_at, %(seconds)s, %(since)s, %(until)s)
WHERE id = ANY (ARRAY(SELECT id FROM live))

-- name: pull_documents
-- Moves a batch of documents' times out of the future, by the latest step back.
WITH step AS MATERIALIZED (
    SELECT make_interval(secs => seconds) AS by FROM clock_steps WHERE seconds < 0 ORDER BY id DESC LIMIT 1
), ahead AS MATERIALIZED (
    SELECT id FROM documents
    WHERE completed_at > clock_timestamp()
        OR completed_at IS NULL AND deleted_at IS NULL AND greatest(updated_at, attempt_started_at) > clock_timestamp()
    LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE documents d SET
    updated_at = CASE WHEN updated_at > t.now THEN least(updated_at + s.by, t.now) ELSE updated_at END,
    attempt_started_at = CASE WHEN attempt_started_at > t.now THEN least(attempt_started_at + s.by, t.now)
        ELSE attempt_started_at END,
    completed_at = CASE WHEN completed_at > t.now THEN least(completed_at + s.by, t.now) ELSE completed_at END,
    first_completed_at = CASE WHEN first_completed_at > t.now THEN least(first_completed_at + s.by, t.now)
        ELSE first_completed_at END
FROM step s CROSS JOIN (SELECT clock_timestamp() AS now) t
WHERE d.id = ANY (ARRAY(SELECT id FROM ahead))
