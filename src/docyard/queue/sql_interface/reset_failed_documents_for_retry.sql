-- Enqueues again all documents that failed at least cool_down ago, have attempts left and are retryable, optionally only
-- those of one workspace. Returns the number of documents enqueued.

CREATE OR REPLACE FUNCTION reset_failed_documents_for_retry(
    cool_down interval DEFAULT '5 minutes', only_workspace uuid DEFAULT NULL) RETURNS integer
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT count(*)::integer FROM (
        SELECT q.source_document_uuid AS id FROM document_processing_queue q
        WHERE q.final_status IN ('failed', 'ocr_failed') AND q.retry_count < q.max_retries
            AND q.completed_at <= clock_timestamp() - coalesce(cool_down, interval '5 minutes')
            AND (only_workspace IS NULL
                OR q.source_document_uuid IN (SELECT d.id FROM documents d WHERE d.workspace_id = only_workspace))
        OFFSET 0) q
    WHERE requeue_document(q.id, NULL, 'automatic_retry')
$$;

REVOKE EXECUTE ON FUNCTION reset_failed_documents_for_retry(interval, uuid) FROM PUBLIC;

COMMENT ON FUNCTION reset_failed_documents_for_retry(interval, uuid) IS
    'Queue again every document (of one workspace) that failed at least cool_down ago, has attempts left and is retryable; return their number.';
