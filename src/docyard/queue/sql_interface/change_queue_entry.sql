-- The trigger for updates of document_processing_queue: status, error text and priority can be changed.
-- requires: document_processing_queue.sql

CREATE OR REPLACE FUNCTION change_queue_entry() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    speaks boolean := (NEW.error_message, NEW.last_error) IS DISTINCT FROM (OLD.error_message, OLD.last_error);
    said text := cut_message(CASE WHEN NEW.error_message IS DISTINCT FROM OLD.error_message THEN NEW.error_message
                                  WHEN NEW.last_error IS DISTINCT FROM OLD.last_error THEN NEW.last_error END);
    -- A document whose text an outside processor has read may already have the status that claims it.
    moves boolean := plain_word(NEW.status) IS DISTINCT FROM plain_word(OLD.status)
        OR plain_word(NEW.status) = 'processing' AND OLD.ocr_phase = 'ocr_complete'
            AND NEW.processor_id IS DISTINCT FROM OLD.processor_id;
    changed boolean := false;
BEGIN
    PERFORM set_config('docyard.matched', '1', true);
    IF (NEW.id, NEW.source_document_id, NEW.source_document_uuid)
        IS DISTINCT FROM (OLD.id, OLD.source_document_id, OLD.source_document_uuid) THEN
        RAISE EXCEPTION 'A queue entry cannot be moved to another document' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Do not change id, source_document_id or source_document_uuid.';
    ELSIF (NEW.priority BETWEEN -32768 AND 32767) IS NOT TRUE THEN
        RAISE EXCEPTION 'The priority cannot be %', coalesce(NEW.priority::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Set a number from -32768 to 32767. Lower numbers are served first; the default is 100.';
    END IF;
    IF moves THEN
        changed := set_queue_status(OLD.source_document_uuid, NEW.status, said,
            CASE WHEN NEW.processor_id IS DISTINCT FROM OLD.processor_id THEN NEW.processor_id END);
    ELSIF speaks THEN
        changed := keep_message(OLD.source_document_uuid, OLD.status, said);
    END IF;
    IF NEW.priority IS DISTINCT FROM OLD.priority AND (lock_document(OLD.source_document_uuid)).id IS NOT NULL THEN
        UPDATE jobs SET priority = NEW.priority WHERE document_id = OLD.source_document_uuid AND type = 'document';
        UPDATE documents SET priority = NEW.priority, updated_at = clock_timestamp() WHERE id = OLD.source_document_uuid;
        changed := true;
    END IF;
    IF changed THEN
        -- RETURNING shows the result, which may differ from what was written.
        SELECT * INTO NEW FROM document_processing_queue WHERE source_document_uuid = OLD.source_document_uuid;
        RETURN NEW;
    ELSIF NOT moves AND NOT speaks AND NEW.priority IS NOT DISTINCT FROM OLD.priority THEN
        RAISE NOTICE 'Document % is not changed: it already has the status %, and no other value that can be changed differs.',
            OLD.id, OLD.status;
    END IF;
    RETURN NULL;  -- the row does not count as updated
END $$;
CREATE OR REPLACE TRIGGER change_queue_entry INSTEAD OF UPDATE ON document_processing_queue
    FOR EACH ROW EXECUTE FUNCTION change_queue_entry();

REVOKE EXECUTE ON FUNCTION change_queue_entry() FROM PUBLIC;
