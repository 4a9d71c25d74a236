-- Documents for outside programs: one row per document. Accepts inserts and updates.
-- requires: all_tags.sql, is_read.sql, parking.sql

CREATE OR REPLACE VIEW source_documents WITH (security_invoker = true) AS
SELECT d.seq AS id, d.id AS document_uuid,
    (SELECT w.seq FROM workspaces w WHERE w.id = d.workspace_id) AS project_fk_id, d.workspace_id AS project_uuid,
    d.original_path AS original_file_path, d.name AS original_file_name, d.media_type AS detected_file_type,
    substring(d.original_path FROM '^s3://[^/]+/(.+)$') AS s3_key,
    CASE
        WHEN d.status IN ('completed', 'cancelled') THEN d.status
        WHEN d.status = 'failed' AND d.reason_category = 'outside' AND d.processor_metadata ? 'status'
            THEN d.processor_metadata ->> 'status'
        WHEN is_read(d) OR is_read_outside(d, EXISTS (SELECT FROM jobs j
                WHERE j.document_id = d.id AND j.type = 'document' AND is_held(j.state, j.started_at)))
            THEN CASE d.status WHEN 'failed' THEN 'error_' || coalesce(d.reason_category, 'unknown')
                               ELSE 'ocr_complete_pending_doc_node' END
        WHEN d.status = 'failed' THEN CASE WHEN d.pre_ocr THEN 'ocr_failed' ELSE 'error_ocr_failed' END
        WHEN d.status = 'processing' THEN 'pre_ocr_processing'
        WHEN NOT d.pre_ocr AND (d.attempt_started_at IS NULL OR NOT is_fetchable(d.blob_key, d.original_path))
            THEN 'pending_intake'
        ELSE 'pre_ocr_pending'
    END AS initial_processing_status,
    d.reason AS error_message, d.reason_category AS error_category, d.size AS file_size, d.sha256, d.title, d.summary,
    d.document_date, d.language, all_tags(d.tags, d.found_tags) AS tags, d.created_at, d.updated_at
FROM documents d WHERE d.deleted_at IS NULL;

GRANT SELECT, INSERT, UPDATE ON source_documents TO docyard_web;

COMMENT ON VIEW source_documents IS
    'The registry of documents for other programs, one row per document. Accepts INSERT and UPDATE.';
COMMENT ON COLUMN source_documents.id IS 'Number of the document, assigned by Docyard.';
COMMENT ON COLUMN source_documents.document_uuid IS 'Id of the document, used everywhere else. May be given at INSERT.';
COMMENT ON COLUMN source_documents.project_fk_id IS
    'Number of the workspace. INSERT requires this or project_uuid; if both are given, they must agree.';
COMMENT ON COLUMN source_documents.project_uuid IS 'Id of the workspace.';
COMMENT ON COLUMN source_documents.original_file_path IS
    'Where the file came from: s3://bucket/key or a path. May be given at INSERT.';
COMMENT ON COLUMN source_documents.original_file_name IS
    'Name of the file; by default the last part of the path. Can be changed.';
COMMENT ON COLUMN source_documents.detected_file_type IS
    'Media type. The first stage detects it from the content. Can be changed.';
COMMENT ON COLUMN source_documents.s3_key IS
    'Key inside original_file_path. If given at INSERT, it must match that path.';
COMMENT ON COLUMN source_documents.initial_processing_status IS
    'Progress of the document. Setting it queues, completes, cancels or fails the document.';
COMMENT ON COLUMN source_documents.error_message IS
    'Reason for the last failure, text that was set, or what the document waits for. May be given at INSERT; can be '
    'changed.';
COMMENT ON COLUMN source_documents.error_category IS 'Category of the last failure.';
COMMENT ON COLUMN source_documents.file_size IS 'Size of the content in bytes. May be given at INSERT.';
COMMENT ON COLUMN source_documents.sha256 IS 'SHA-256 of the content. May be given at INSERT.';
COMMENT ON COLUMN source_documents.title IS 'Title. Can be changed.';
COMMENT ON COLUMN source_documents.summary IS 'Summary. Can be changed.';
COMMENT ON COLUMN source_documents.document_date IS 'Date stated in the document. Can be changed.';
COMMENT ON COLUMN source_documents.language IS 'Language of the text, such as en. Can be changed.';
COMMENT ON COLUMN source_documents.tags IS
    'Tags from users, then tags from classification. A new tag is a user tag; a tag left out is removed.';
COMMENT ON COLUMN source_documents.created_at IS
    'Arrival, which decides the order of processing. May be given at INSERT.';
COMMENT ON COLUMN source_documents.updated_at IS 'Time of the last change.';
