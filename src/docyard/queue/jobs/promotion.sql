-- name: promote_due
-- Makes a batch of due scheduled jobs pending, and notifies the workers of their pools. If the job was held for an
-- outside processor, its attempt failed: the processor did not report an outcome in time.
WITH due AS (
    SELECT id, document_id, is_held(state, started_at) AND type = 'document' AS held FROM jobs
    WHERE state = 'scheduled' AND run_at <= clock_timestamp()
    ORDER BY run_at LIMIT 1000 FOR UPDATE SKIP LOCKED
), held AS (
    SELECT d.id FROM documents d WHERE d.id = ANY (ARRAY(SELECT document_id FROM due WHERE held)) FOR UPDATE SKIP LOCKED
), expired AS (
    UPDATE documents d SET status = 'pending', failures = failures + 1, reason_category = 'outside',
        reason = concat_ws(' ', 'The outside processor', d.processor_metadata ->> 'last_processor',
                           'reported no outcome in time.'),
        processor_metadata = d.processor_metadata - 'status' - 'text_read', updated_at = clock_timestamp()
    WHERE id = ANY (ARRAY(SELECT id FROM held))
    RETURNING d.id, d.reason, d.reason_category, d.processor_metadata ->> 'last_processor' AS processor,
        pg_notify('docyard_documents', d.workspace_id || ':' || d.id)
), promoted AS (
    UPDATE jobs j SET state = 'pending', run_at = NULL, started_at = NULL, failure_history = j.failure_history || coalesce((
        SELECT jsonb_build_object('at', clock_timestamp(), 'category', e.reason_category, 'message', e.reason,
            'worker', e.processor, 'attempt', j.attempts + 1, 'stage', j.stage, 'held', true)
        FROM expired e WHERE e.id = j.document_id AND j.type = 'document'), '[]')
    -- A held job whose document is locked stays due.
    WHERE j.id = ANY (ARRAY(SELECT id FROM due WHERE held IS NOT TRUE OR document_id IN (SELECT id FROM held)))
    RETURNING j.pool
), notified AS (
    SELECT pg_notify('docyard_jobs', p.pool) FROM (SELECT DISTINCT pool FROM promoted) p
)
SELECT (SELECT count(*) FROM promoted) AS promoted, (SELECT count(*) FROM notified) AS notified,
    (SELECT extract(epoch FROM min(run_at) - clock_timestamp()) FROM jobs
     WHERE state = 'scheduled' AND run_at > clock_timestamp())::float8 AS next_in
