-- Applies a status that was written to the queue; returns whether the document changed.

CREATE OR REPLACE FUNCTION set_queue_status(wanted uuid, word text, said text, processor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF word = 'pending' THEN
        RETURN requeue_document(wanted, said);
    ELSIF word IN ('completed', 'failed', 'cancelled') THEN
        RETURN end_document(wanted, word, word, said, processor);
    ELSIF word = 'processing' THEN
        RAISE EXCEPTION 'The status of a document cannot be set to processing: only a worker can claim it'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, completed, failed or cancelled.';
    END IF;
    RAISE EXCEPTION 'There is no queue status %', coalesce(quote_literal(word), 'NULL')
        USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, completed, failed or cancelled.';
END $$;

REVOKE EXECUTE ON FUNCTION set_queue_status(uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION set_queue_status(uuid, text, text, text) TO docyard_web;
