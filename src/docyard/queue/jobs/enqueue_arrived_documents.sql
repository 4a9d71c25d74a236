-- The trigger that enqueues new documents. It runs once for each INSERT statement. A document that is inserted as failed
-- gets a dead letter, so that resets and retries treat it like one that failed later.
-- requires: parking.sql

CREATE OR REPLACE FUNCTION enqueue_arrived_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- No worker is processing a document that was just inserted, so its status must not be 'processing'.
    UPDATE documents d SET status = 'pending',
        reason = CASE WHEN is_fetchable(d.blob_key, d.original_path) THEN d.reason
                      ELSE concat_ws(' | ', d.reason, explain_parking(d.original_path)) END
    FROM arrived AS a
    WHERE d.id = a.id AND a.status IN ('pending', 'processing')
        AND (a.status = 'processing' OR NOT is_fetchable(a.blob_key, a.original_path));
    INSERT INTO jobs (
        workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key, state, run_at)
    SELECT a.workspace_id, entry_stage(), 'document', entry_stage(), a.id, a.tier, a.priority, a.created_at,
        'road:' || a.id, CASE WHEN is_fetchable(a.blob_key, a.original_path) THEN 'pending' ELSE 'scheduled' END,
        CASE WHEN NOT is_fetchable(a.blob_key, a.original_path) THEN parked_until() END
    FROM arrived AS a
    WHERE a.status IN ('pending', 'processing') AND a.deleted_at IS NULL;
    INSERT INTO dead_letters (
        id, workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key, payload, attempts,
        max_attempts, replays, fence, failure_history, died_at, category, message, retryable)
    SELECT new_job_id(), a.workspace_id, entry_stage(), 'document', entry_stage(), a.id, a.tier, a.priority, a.created_at,
        'road:' || a.id, '{}', 1, 3, 0, 0, jsonb_build_array(jsonb_build_object(
            'at', a.completed_at, 'category', coalesce(a.reason_category, 'outside'), 'message', a.reason, 'attempt', 1,
            'stage', entry_stage())),
        a.completed_at, coalesce(a.reason_category, 'outside'), a.reason, a.retryable
    FROM arrived AS a WHERE a.status = 'failed' AND a.deleted_at IS NULL;
    PERFORM pg_notify('docyard_jobs', entry_stage()) WHERE EXISTS (SELECT FROM arrived);
    PERFORM pg_notify('docyard_documents', w.workspace_id || ':')
    FROM (SELECT DISTINCT workspace_id FROM arrived) AS w;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER documents_enqueue AFTER INSERT ON documents
    REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION enqueue_arrived_documents();
