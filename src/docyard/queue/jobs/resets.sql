-- name: find_resettable_documents
-- Returns failed documents that a reset queues and that are past the cool-down, in random order.
SELECT document_id AS id FROM find_resettable_documents()
WHERE completed_at <= clock_timestamp() - make_interval(secs => %(cool_down)s)
-- Random, so that documents that cannot be reset do not fill the batch every time.
ORDER BY random() LIMIT %(limit)s

-- name: requeue_document
-- Enqueues a failed document again, unless it is locked or was enqueued meanwhile.
SELECT requeue_document(%(document_id)s, NULL, 'automatic_retry') AS queued

-- name: reset_failed_documents
-- Enqueues failed documents again, like an operator in psql, and returns how many were queued, how many of these waited
-- for a retry, and how many are locked.
SELECT queued, waiting_for_retry, locked FROM reset_failed_documents(make_interval(secs => %(cool_down)s), %(workspace_id)s)

-- name: be_brief
-- Limits statements and lock waits of this transaction, so that the duties after this one are not delayed.
SELECT set_config('statement_timeout', '5s', true), set_config('lock_timeout', '500ms', true)

-- name: take_from_holder
-- Takes a job from its worker or outside processor under a new fence, and records the lost attempt. It becomes pending,
-- or parked if its file cannot be fetched, with all attempts left.
WITH held AS (
    SELECT j.id, is_held(j.state, j.started_at) AS outside, d.processor_metadata ->> 'last_processor' AS processor,
        d.id IS NOT NULL AND NOT is_fetchable(d.blob_key, d.original_path) AS parked
    FROM jobs j LEFT JOIN documents d ON d.id = j.document_id
    WHERE j.id = %(id)s AND (j.state = 'running' OR is_held(j.state, j.started_at))
), taken AS (
    UPDATE jobs j SET state = CASE WHEN h.parked THEN 'scheduled' ELSE 'pending' END,
        run_at = CASE WHEN h.parked THEN parked_until() END,
        fence = j.fence + 1, worker_id = NULL, deadline_at = NULL, started_at = NULL, attempts = 0,
        failure_history = j.failure_history || jsonb_build_object(
            'at', clock_timestamp(), 'category', %(category)s::text, 'message', %(message)s::text,
            'worker', coalesce(j.worker_id::text, h.processor), 'attempt', j.attempts + h.outside::integer,
            'stage', j.stage)
    FROM held h WHERE j.id = h.id RETURNING j.id, j.pool
)
SELECT id, pg_notify('docyard_jobs', pool) FROM taken

-- name: is_pending
-- Returns whether a job is pending.
SELECT EXISTS (SELECT FROM jobs WHERE id = %(id)s AND state = 'pending') AS pending
