-- Documents for outside programs: one row per document, with inserts and updates accepted.
-- requires: all_tags.sql, is_read.sql

CREATE OR REPLACE VIEW source_documents WITH (security_invoker = true) AS
SELECT d.seq AS id, d.id AS document_uuid,
    (SELECT w.seq FROM workspaces w WHERE w.id = d.workspace_id) AS project_fk_id, d.workspace_id AS project_uuid,
    d.original_path AS original_file_path, d.name AS original_file_name, d.media_type AS detected_file_type,
    substring(d.original_path FROM '^s3://[^/]+/(.+)$') AS s3_key,
    CASE
        WHEN d.status IN ('completed', 'cancelled') THEN d.status
        WHEN d.status = 'failed' AND d.reason_category = 'outside' AND d.processor_metadata ? 'status'
            THEN d.processor_metadata ->> 'status'
        WHEN is_read(d) THEN CASE d.status WHEN 'failed' THEN 'error_' || coalesce(d.reason_category, 'unknown')
                               ELSE 'ocr_complete_pending_doc_node' END
        WHEN d.status = 'failed' THEN 'error_ocr_failed'
        WHEN d.status = 'processing' THEN 'pre_ocr_processing'
        -- Documents from a bucket skip the intake status: they wait to be read.
        WHEN d.attempt_started_at IS NULL AND d.source <> 'bucket'
            AND starts_with(coalesce(d.original_path, ''), 's3://') IS FALSE THEN 'pending_intake'
        ELSE 'pre_ocr_pending'
    END AS initial_processing_status,
    d.reason AS error_message, d.reason_category AS error_category, d.size AS file_size, d.sha256, d.title, d.summary,
    d.document_date, d.language, all_tags(d.tags, d.found_tags) AS tags, d.created_at, d.updated_at
FROM documents d WHERE d.deleted_at IS NULL;

GRANT SELECT, INSERT, UPDATE ON source_documents TO docyard_web;
