-- Makes a document pending again, and records the reset in its metadata. The text that was given with the reset is kept
-- there, and shown as the reason until the next attempt ends.
-- requires: parking.sql

CREATE OR REPLACE FUNCTION note_reset(
    noted documents, previous_status text, last_processor text, said text, reset_reason text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE documents SET status = 'pending', completed_at = NULL, updated_at = clock_timestamp(),
        reason = CASE
            WHEN NOT is_fetchable(blob_key, original_path) THEN concat_ws(' | ', said, explain_parking(original_path))
            WHEN said IS NOT NULL OR noted.completed_at IS NOT NULL THEN said
            ELSE reason END,
        reason_category = CASE WHEN is_fetchable(blob_key, original_path) AND said IS NULL AND noted.completed_at IS NULL
            THEN reason_category END,
        running_seconds = CASE WHEN noted.completed_at IS NULL THEN running_seconds ELSE 0 END,
        processor_metadata = processor_metadata - 'last_processor' - 'status' - 'text_read' || jsonb_build_object(
            'retry_history', h.so_far || jsonb_build_object(
                'retry_number', jsonb_array_length(h.so_far) + 1, 'reset_at', clock_timestamp(),
                'reset_reason', reset_reason, 'previous_status', previous_status, 'previous_error', noted.reason,
                'error_message', said,
                'last_processor', coalesce(noted.processor_metadata ->> 'last_processor', last_processor)))
    FROM (SELECT CASE jsonb_typeof(noted.processor_metadata -> 'retry_history')
                 WHEN 'array' THEN noted.processor_metadata -> 'retry_history' ELSE '[]' END AS so_far) h
    WHERE id = noted.id;
    SELECT pg_notify('docyard_documents', noted.workspace_id || ':' || noted.id);
$$;

REVOKE EXECUTE ON FUNCTION note_reset(documents, text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_reset(documents, text, text, text, text) TO docyard_web;
