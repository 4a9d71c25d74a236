-- The trigger for updates of source_documents: outcomes reported by outside programs, and corrected metadata.
-- requires: source_documents.sql

CREATE OR REPLACE FUNCTION change_source_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    new_status text := NEW.initial_processing_status;
    speaks boolean := NEW.error_message IS DISTINCT FROM OLD.error_message;
    new_error text := CASE WHEN speaks THEN cut_message(NEW.error_message) END;
    moves boolean := new_status IS NULL OR new_status IS DISTINCT FROM OLD.initial_processing_status;
    changed boolean := false;
BEGIN
    PERFORM set_config('docyard.matched', '1', true);
    IF (NEW.id, NEW.document_uuid, NEW.project_fk_id, NEW.project_uuid, NEW.original_file_path, NEW.s3_key, NEW.sha256,
        NEW.file_size) IS DISTINCT FROM (OLD.id, OLD.document_uuid, OLD.project_fk_id, OLD.project_uuid,
        OLD.original_file_path, OLD.s3_key, OLD.sha256, OLD.file_size) THEN
        RAISE EXCEPTION 'Identity, project, path and content of a document cannot be changed'
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Insert a new document for another project, path or content.';
    END IF;
    IF moves THEN
        IF new_status IN ('completed', 'cancelled') THEN
            changed := end_document(OLD.document_uuid, new_status, new_status, new_error, NULL);
        ELSIF new_status LIKE 'error%' OR new_status = 'ocr_failed' THEN
            changed := end_document(OLD.document_uuid, 'failed', new_status, new_error, NULL);
        ELSIF new_status IN ('pending_intake', 'pre_ocr_pending') THEN
            changed := coalesce(reset_document(OLD.document_uuid, new_error, 'operator') IN ('queued', 'failed'), false);
        ELSIF new_status IN ('pre_ocr_processing', 'processing', 'ocr_complete_pending_doc_node') THEN
            changed := hold_document(OLD.document_uuid, new_status, new_error, NULL);
        ELSE
            RAISE EXCEPTION 'The status of a document cannot be set to %', coalesce(quote_literal(new_status), 'NULL')
                USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Set completed, cancelled, ocr_failed, error…, pending_intake, pre_ocr_pending, pre_ocr_processing or '
                       'ocr_complete_pending_doc_node.';
        END IF;
    ELSIF speaks THEN
        changed := keep_message(OLD.document_uuid, new_status, new_error);
    END IF;
    IF (NEW.original_file_name, NEW.detected_file_type, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        NEW.tags) IS DISTINCT FROM (OLD.original_file_name, OLD.detected_file_type, OLD.title, OLD.summary,
        OLD.document_date, OLD.language, OLD.tags) THEN
        UPDATE documents SET name = NEW.original_file_name, media_type = NEW.detected_file_type, title = NEW.title,
            summary = NEW.summary, document_date = NEW.document_date, language = NEW.language,
            -- New tags become user tags. Found tags that are still in the list stay found tags.
            tags = ARRAY(SELECT t.tag FROM unnest(NEW.tags) WITH ORDINALITY AS t (tag, place)
                WHERE NOT t.tag = ANY (found_tags) OR t.tag = ANY (tags) ORDER BY t.place),
            found_tags = ARRAY(SELECT t.tag FROM unnest(found_tags) WITH ORDINALITY AS t (tag, place)
                WHERE t.tag = ANY (NEW.tags) ORDER BY t.place), updated_at = clock_timestamp()
        WHERE id = OLD.document_uuid AND deleted_at IS NULL;
        changed := changed OR FOUND;
    END IF;
    IF changed THEN
        -- RETURNING shows the result, which may differ from what was written.
        SELECT * INTO NEW FROM source_documents WHERE document_uuid = OLD.document_uuid;
        RETURN NEW;
    ELSIF NOT moves AND NOT speaks THEN
        RAISE NOTICE 'Document % is not changed: it already has the status %, and no other value that can be changed differs.',
            OLD.id, new_status;
    END IF;
    RETURN NULL;  -- the row does not count as updated
END $$;
CREATE OR REPLACE TRIGGER change_source_document INSTEAD OF UPDATE ON source_documents
    FOR EACH ROW EXECUTE FUNCTION change_source_document();

REVOKE EXECUTE ON FUNCTION change_source_document() FROM PUBLIC;
