-- Resets of failed documents. They also start documents now that wait for a retry, which the views show as failed.

-- Enqueues again all documents that failed at least cool_down ago and that a reset can revive, optionally only those of
-- one workspace. Returns how many were queued, how many of these waited for a retry, and how many were skipped because
-- another transaction has locked them.
CREATE OR REPLACE FUNCTION reset_failed_documents(
    cool_down interval, only_workspace uuid, OUT queued integer, OUT waiting_for_retry integer, OUT locked integer)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    each record;
    result text;
BEGIN
    queued := 0;
    waiting_for_retry := 0;
    locked := 0;
    FOR each IN
        SELECT d.id, d.status FROM document_processing_queue q JOIN documents d ON d.id = q.source_document_uuid
        WHERE q.final_status IN ('failed', 'ocr_failed')
            AND q.completed_at <= clock_timestamp() - coalesce(cool_down, interval '5 minutes')
            AND (only_workspace IS NULL OR d.workspace_id = only_workspace)
        ORDER BY d.seq
    LOOP
        result := reset_document(each.id, NULL, 'automatic_retry');
        queued := queued + (result IS NOT DISTINCT FROM 'queued')::integer;
        waiting_for_retry := waiting_for_retry
            + (result IS NOT DISTINCT FROM 'queued' AND each.status <> 'failed')::integer;
        locked := locked + (result IS NOT DISTINCT FROM 'skipped')::integer;
    END LOOP;
    IF locked > 0 THEN
        RAISE NOTICE '% documents were not reset, because other transactions are changing them. Run the reset again.', locked;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION reset_failed_documents_for_retry(
    cool_down interval DEFAULT '5 minutes', only_workspace uuid DEFAULT NULL) RETURNS integer
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT queued FROM reset_failed_documents(cool_down, only_workspace)
$$;

REVOKE EXECUTE ON FUNCTION reset_failed_documents(interval, uuid) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION reset_failed_documents_for_retry(interval, uuid) FROM PUBLIC;

COMMENT ON FUNCTION reset_failed_documents_for_retry(interval, uuid) IS
    'Queue again every document (of one workspace) whose final_status is failed or ocr_failed since at least cool_down; return their number. Locked documents are skipped.';
