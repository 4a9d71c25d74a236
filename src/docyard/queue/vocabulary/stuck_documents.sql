-- Documents with the status processing or failed that have not changed for over an hour.
-- requires: document_processing_queue.sql

CREATE OR REPLACE VIEW stuck_documents WITH (security_invoker = true) AS
SELECT id, source_document_id, source_document_uuid, status, final_status, retry_count, error_message, created_at,
    updated_at, extract(epoch FROM now() - updated_at) / 3600 AS hours_since_update
FROM document_processing_queue
WHERE status IN ('processing', 'failed') AND updated_at < now() - interval '1 hour' ORDER BY updated_at;

GRANT SELECT ON stuck_documents TO docyard_web;
