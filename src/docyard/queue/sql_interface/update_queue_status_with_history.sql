-- Sets the status of a queue entry, given by its number, on behalf of an outside processor.

CREATE OR REPLACE FUNCTION update_queue_status_with_history(
    p_queue_id bigint, p_new_status text, p_error_message text DEFAULT NULL, p_processor_id text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    wanted uuid := (SELECT d.id FROM documents d WHERE d.seq = p_queue_id AND d.deleted_at IS NULL);
BEGIN
    IF wanted IS NULL THEN
        RAISE EXCEPTION 'There is no queue entry %', coalesce(p_queue_id::text, 'NULL') USING ERRCODE = 'no_data_found';
    END IF;
    PERFORM set_queue_status(wanted, p_new_status, cut_message(p_error_message), p_processor_id);
END $$;

REVOKE EXECUTE ON FUNCTION update_queue_status_with_history(bigint, text, text, text) FROM PUBLIC;

COMMENT ON FUNCTION update_queue_status_with_history(bigint, text, text, text) IS
    'Set the status of a document by its number, as an UPDATE of document_processing_queue does.';
