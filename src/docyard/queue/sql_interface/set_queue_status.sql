-- Applies a status that was written to the queue; returns whether the document changed.

CREATE OR REPLACE FUNCTION set_queue_status(wanted uuid, word text, said text, processor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF word IN ('pending', 'pre_ocr_pending') THEN
        RETURN coalesce(reset_document(wanted, said, 'operator') IN ('queued', 'failed'), false);
    ELSIF word IN ('processing', 'pre_ocr_processing', 'ocr_complete') THEN
        RETURN hold_document(wanted, word, said, processor);
    ELSIF word IN ('completed', 'failed', 'cancelled', 'ocr_failed') THEN
        RETURN end_document(wanted, plain_word(word), word, said, processor);
    END IF;
    RAISE EXCEPTION 'There is no queue status %', coalesce(quote_literal(word), 'NULL')
        USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, processing, completed, failed or cancelled.';
END $$;

REVOKE EXECUTE ON FUNCTION set_queue_status(uuid, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION set_queue_status(uuid, text, text, text) TO docyard_web;
