-- Enqueues again all documents that failed at least cool_down ago, have attempts left and are retryable, optionally only
-- those of one workspace. Returns the number of documents enqueued.

CREATE OR REPLACE FUNCTION reset_failed_documents_for_retry(
    cool_down interval DEFAULT '5 minutes', only_workspace uuid DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    reset_count integer;
BEGIN
    UPDATE document_processing_queue SET status = 'pending'
    WHERE status = 'failed' AND retry_count < max_retries
        AND completed_at <= clock_timestamp() - coalesce(cool_down, interval '5 minutes')
        AND (only_workspace IS NULL
            OR source_document_uuid IN (SELECT d.id FROM documents d WHERE d.workspace_id = only_workspace));
    GET DIAGNOSTICS reset_count = ROW_COUNT;
    RETURN reset_count;
END $$;

REVOKE EXECUTE ON FUNCTION reset_failed_documents_for_retry(interval, uuid) FROM PUBLIC;

COMMENT ON FUNCTION reset_failed_documents_for_retry(interval, uuid) IS
    'Queue again every document (of one workspace) that failed at least cool_down ago, has attempts left and is retryable; return their number.';
