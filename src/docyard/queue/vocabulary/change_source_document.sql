-- Updates of source_documents: outcomes reported from outside, and corrected metadata.
-- requires: source_documents.sql

CREATE OR REPLACE FUNCTION change_source_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    word text := NEW.initial_processing_status;
    said text := CASE WHEN NEW.error_message IS DISTINCT FROM OLD.error_message THEN NEW.error_message END;
    changed boolean := false;
BEGIN
    IF (NEW.id, NEW.document_uuid, NEW.project_fk_id, NEW.project_uuid, NEW.original_file_path, NEW.s3_key, NEW.sha256,
        NEW.file_size) IS DISTINCT FROM (OLD.id, OLD.document_uuid, OLD.project_fk_id, OLD.project_uuid,
        OLD.original_file_path, OLD.s3_key, OLD.sha256, OLD.file_size) THEN
        RAISE EXCEPTION 'Identity, project, place and content of a document do not change'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF word IS NULL OR word IS DISTINCT FROM OLD.initial_processing_status THEN
        IF word IN ('completed', 'cancelled') THEN
            changed := end_document(OLD.document_uuid, word, word, said, NULL);
        ELSIF word LIKE 'error%' OR word = 'ocr_failed' THEN
            changed := end_document(OLD.document_uuid, 'failed', word, said, NULL);
        ELSIF word IN ('pending_intake', 'pre_ocr_pending') THEN
            changed := requeue_document(OLD.document_uuid, said);
        ELSE
            RAISE EXCEPTION 'A document cannot be set to the status %', coalesce(quote_literal(word), 'NULL')
                USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Set completed, cancelled, ocr_failed, error…, pending_intake or pre_ocr_pending.';
        END IF;
    END IF;
    IF (NEW.original_file_name, NEW.detected_file_type, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        NEW.tags) IS DISTINCT FROM (OLD.original_file_name, OLD.detected_file_type, OLD.title, OLD.summary,
        OLD.document_date, OLD.language, OLD.tags) THEN
        UPDATE documents SET name = NEW.original_file_name, media_type = NEW.detected_file_type, title = NEW.title,
            summary = NEW.summary, document_date = NEW.document_date, language = NEW.language,
            -- What is new in the list somebody gave; what was found and is still in it stays found.
            tags = ARRAY(SELECT t.tag FROM unnest(NEW.tags) WITH ORDINALITY AS t (tag, place)
                WHERE NOT t.tag = ANY (found_tags) OR t.tag = ANY (tags) ORDER BY t.place),
            found_tags = ARRAY(SELECT t.tag FROM unnest(found_tags) WITH ORDINALITY AS t (tag, place)
                WHERE t.tag = ANY (NEW.tags) ORDER BY t.place), updated_at = clock_timestamp()
        WHERE id = OLD.document_uuid AND deleted_at IS NULL;
        changed := changed OR FOUND;
    END IF;
    IF changed THEN
        RETURN NEW;
    END IF;
    RETURN NULL;  -- and so is not counted among the updated
END $$;
CREATE OR REPLACE TRIGGER change_source_document INSTEAD OF UPDATE ON source_documents
    FOR EACH ROW EXECUTE FUNCTION change_source_document();

REVOKE EXECUTE ON FUNCTION change_source_document() FROM PUBLIC;
