-- The trigger for inserts into source_documents. It inserts documents, which the trigger on documents enqueues.
-- requires: source_documents.sql

CREATE OR REPLACE FUNCTION receive_source_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    new_status text := coalesce(NEW.initial_processing_status, 'pending_intake');
    failed boolean := new_status LIKE 'error%' OR new_status = 'ocr_failed';
    said text := cut_message(NEW.error_message);
    project workspaces;
BEGIN
    IF NEW.id IS NOT NULL THEN
        RAISE EXCEPTION 'The id of a document is assigned by Docyard' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Omit id. You may set document_uuid.';
    END IF;
    IF new_status NOT IN ('pending_intake', 'pre_ocr_pending', 'completed') AND NOT failed THEN
        RAISE EXCEPTION 'A document cannot be inserted with the status %', quote_literal(new_status)
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Use pending_intake, pre_ocr_pending, completed, ocr_failed or error….';
    END IF;
    IF NEW.s3_key <> substring(coalesce(NEW.original_file_path, '') FROM '^s3://[^/]+/(.+)$') IS NOT FALSE
        AND NEW.s3_key IS NOT NULL THEN
        RAISE EXCEPTION 's3_key % is not the key of original_file_path', quote_literal(NEW.s3_key)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set original_file_path to s3://bucket/key.';
    END IF;
    NEW.original_file_name := coalesce(NEW.original_file_name, substring(NEW.original_file_path FROM '[^/]+$'));
    IF coalesce(NEW.original_file_name, '') = '' THEN
        RAISE EXCEPTION 'A document needs original_file_name or original_file_path'
            USING ERRCODE = 'not_null_violation',
            HINT = 'Set original_file_name, or a path that ends with the name of a file.';
    END IF;
    IF NEW.project_uuid IS NOT NULL THEN
        SELECT * INTO project FROM workspaces WHERE id = NEW.project_uuid;
    ELSE
        SELECT * INTO project FROM workspaces WHERE seq = NEW.project_fk_id;
    END IF;
    IF project.id IS NULL OR project.seq <> NEW.project_fk_id THEN
        RAISE EXCEPTION 'There is no workspace with project_uuid % and project_fk_id %',
            coalesce(NEW.project_uuid::text, 'NULL'), coalesce(NEW.project_fk_id::text, 'NULL')
            USING ERRCODE = 'foreign_key_violation',
            HINT = 'Use the project_fk_id or project_uuid that get_or_create_project() returns.';
    END IF;
    INSERT INTO documents (
        id, workspace_id, name, original_path, media_type, size, sha256, title, summary, document_date, language, tags,
        created_at, pre_ocr, status, completed_at, reason, reason_category, processor_metadata)
    VALUES (
        coalesce(NEW.document_uuid, gen_random_uuid()), project.id,
        NEW.original_file_name, NEW.original_file_path,
        NEW.detected_file_type, NEW.file_size, NEW.sha256, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        coalesce(NEW.tags, '{}'), coalesce(NEW.created_at, now()), new_status = 'pre_ocr_pending',
        CASE WHEN new_status = 'completed' THEN 'completed' WHEN failed THEN 'failed' ELSE 'pending' END,
        CASE WHEN new_status = 'completed' OR failed THEN clock_timestamp() END,
        coalesce(said, CASE WHEN failed THEN 'The document was inserted with the status ' || new_status || '.' END),
        CASE WHEN failed THEN 'outside' END,
        add_message(CASE WHEN failed THEN jsonb_build_object('status', new_status) ELSE '{}' END, new_status, said))
    RETURNING seq, id, name, created_at, updated_at, tags
    INTO NEW.id, NEW.document_uuid, NEW.original_file_name, NEW.created_at, NEW.updated_at, NEW.tags;
    NEW.project_uuid := project.id;
    NEW.project_fk_id := project.seq;
    NEW.initial_processing_status := new_status;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER receive_source_document INSTEAD OF INSERT ON source_documents
    FOR EACH ROW EXECUTE FUNCTION receive_source_document();

REVOKE EXECUTE ON FUNCTION receive_source_document() FROM PUBLIC;
