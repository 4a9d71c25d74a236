-- Jobs of outside programs: live, finished and dead ones in one view, which accepts inserts and status updates.
-- requires: job_words.sql, entry_stage.sql

-- Returns the pool for a type of extraction job, or NULL for any other type of job.
CREATE OR REPLACE FUNCTION extraction_pool(job_type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN job_type IN ('email_embedding', 'attachment_ingestion', 'document_ocr') THEN entry_stage() END;

CREATE OR REPLACE VIEW extraction_jobs WITH (security_invoker = true) AS
SELECT j.id, j.workspace_id AS yacht_id, j.type AS job_type,
    (SELECT t.name FROM tiers t WHERE t.tier = j.tier) AS priority, j.entity_type, j.entity_id,
    j.payload - 'metadata' AS payload, j.status, j.attempts, j.created_at, j.started_at,
    j.completed_at, j.completed_by, j.failure_history -> -1 ->> 'message' AS error,
    CASE jsonb_typeof(j.payload -> 'metadata') WHEN 'object' THEN j.payload -> 'metadata' ELSE '{}' END
        || jsonb_build_object('pool', j.pool, 'failure_history', failures_in_words(j.failure_history)) AS metadata
FROM (
    SELECT id, workspace_id, pool, tier, type, entity_type, entity_id, payload, failure_history, attempts, created_at,
        started_at, job_word(state, attempts, failure_history, run_at) AS status, NULL::timestamptz AS completed_at,
        NULL::text AS completed_by
    FROM jobs
    UNION ALL
    SELECT id, workspace_id, pool, tier, type, entity_type, entity_id, NULL, failure_history, attempts, arrived_at,
        started_at, CASE WHEN outcome IN ('done', 'degraded') THEN 'completed' ELSE 'cancelled' END, finished_at,
        worker_id::text
    FROM job_history
    UNION ALL
    SELECT id, workspace_id, pool, tier, type, entity_type, entity_id, payload, failure_history, attempts, arrived_at,
        started_at, 'failed', died_at, failure_history -> -1 ->> 'worker'
    FROM dead_letters) j
WHERE extraction_pool(j.type) IS NOT NULL;

REVOKE EXECUTE ON FUNCTION extraction_pool(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION extraction_pool(text) TO docyard_web;
GRANT SELECT, INSERT, UPDATE ON extraction_jobs TO docyard_web;

COMMENT ON VIEW extraction_jobs IS
    'Jobs of other programs: live, finished and dead. Accepts INSERT; the status can be changed with UPDATE.';
COMMENT ON COLUMN extraction_jobs.id IS 'Id of the job. May be given at INSERT.';
COMMENT ON COLUMN extraction_jobs.yacht_id IS 'Workspace of the job. Required at INSERT.';
COMMENT ON COLUMN extraction_jobs.job_type IS 'email_embedding, attachment_ingestion or document_ocr. Required at INSERT.';
COMMENT ON COLUMN extraction_jobs.priority IS 'Tier: user_upload, background or low. The default is background.';
COMMENT ON COLUMN extraction_jobs.entity_type IS
    'Type of the external entity that the job concerns, such as work_order.';
COMMENT ON COLUMN extraction_jobs.entity_id IS 'Id of that entity.';
COMMENT ON COLUMN extraction_jobs.payload IS 'JSON object of at most 64 KiB. NULL once the job is in the history.';
COMMENT ON COLUMN extraction_jobs.status IS
    'pending, processing, completed, failed or cancelled. Can be set to cancelled or pending.';
COMMENT ON COLUMN extraction_jobs.attempts IS 'Attempts so far.';
COMMENT ON COLUMN extraction_jobs.created_at IS 'Time of arrival.';
COMMENT ON COLUMN extraction_jobs.started_at IS 'Start of the last attempt.';
COMMENT ON COLUMN extraction_jobs.completed_at IS 'Time when the job ended.';
COMMENT ON COLUMN extraction_jobs.completed_by IS 'Worker that ended the job.';
COMMENT ON COLUMN extraction_jobs.error IS 'Reason for the last failure.';
COMMENT ON COLUMN extraction_jobs.metadata IS 'Metadata given at INSERT, the pool, and failure_history.';
