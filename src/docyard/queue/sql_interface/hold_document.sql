-- Holds a document for an outside processor: workers leave it alone until the deadline of its pool. If no outcome is
-- reported until then, the job is due, and the document is queued again. The word ocr_complete is an outcome: a worker
-- that runs the document loses it by the fence. All other words claim the document.
-- Returns false and changes nothing if the document has ended, cannot be claimed because it is being processed, or another
-- transaction is changing it.

CREATE OR REPLACE FUNCTION hold_document(wanted uuid, word text, said text, processor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    j jobs := first_job(wanted);
    claims boolean := word NOT IN ('ocr_complete', 'ocr_complete_pending_doc_node');
    held boolean := is_held(j.state, j.started_at);
BEGIN
    IF d.id IS NULL THEN
        RETURN false;
    ELSIF d.completed_at IS NOT NULL OR j.id IS NULL OR j.state = 'waiting' THEN
        RAISE NOTICE 'Document % is not changed: it is % and has to be queued first.', d.seq, d.status;
        RETURN false;
    ELSIF claims AND j.state = 'running' THEN
        RAISE NOTICE 'Document % is not changed: a worker is processing it.', d.seq;
        RETURN false;
    ELSIF claims AND held AND NOT d.processor_metadata ? 'status' THEN
        -- Two processors that claim at the same time both see the document as pending. The first one gets it.
        RAISE NOTICE 'Document % is not changed: % is already processing it.', d.seq,
            coalesce(d.processor_metadata ->> 'last_processor', 'an outside processor');
        RETURN false;
    END IF;
    -- A worker gives its attempt back. The attempt of the outside processor counts when it ends.
    UPDATE jobs SET state = 'scheduled', fence = fence + 1, worker_id = NULL, deadline_at = NULL,
        attempts = attempts - (j.state = 'running')::integer, started_at = clock_timestamp(),
        run_at = clock_timestamp() + make_interval(secs => (SELECT p.deadline_seconds FROM pools p WHERE p.pool = j.pool))
    WHERE id = j.id;
    UPDATE documents SET status = 'processing', attempt_started_at = clock_timestamp(), updated_at = clock_timestamp(),
        reason = coalesce(said, remove_parking(reason, original_path)),
        -- While a document is held, status says that it can be claimed again, text_read that its text has been read.
        processor_metadata = add_message(processor_metadata - 'status' - 'text_read', word, said)
            || jsonb_strip_nulls(jsonb_build_object(
            'last_processor', processor,
            'status', CASE WHEN NOT claims THEN 'ocr_complete_pending_doc_node' END,
            'text_read', CASE WHEN NOT claims OR held AND d.processor_metadata ? 'text_read' THEN true END))
    WHERE id = d.id;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id);
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION hold_document(uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_document(uuid, text, text, text) TO docyard_web;
