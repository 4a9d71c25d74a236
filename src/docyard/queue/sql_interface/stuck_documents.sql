-- Documents with the status processing or failed that have not changed for over an hour.
-- requires: document_processing_queue.sql

CREATE OR REPLACE VIEW stuck_documents WITH (security_invoker = true) AS
SELECT id, source_document_id, source_document_uuid, status, final_status, retry_count, error_message, created_at,
    updated_at, extract(epoch FROM now() - updated_at) / 3600 AS hours_since_update
FROM document_processing_queue
WHERE status IN ('processing', 'failed') AND updated_at < now() - interval '1 hour' ORDER BY updated_at;

GRANT SELECT ON stuck_documents TO docyard_web;

COMMENT ON VIEW stuck_documents IS
    'Documents that are processing or failed and have not changed for over an hour, oldest change first. Read only.';
COMMENT ON COLUMN stuck_documents.id IS 'Number of the document.';
COMMENT ON COLUMN stuck_documents.source_document_id IS 'Number of the document.';
COMMENT ON COLUMN stuck_documents.source_document_uuid IS 'Id of the document.';
COMMENT ON COLUMN stuck_documents.status IS 'processing or failed.';
COMMENT ON COLUMN stuck_documents.final_status IS 'final_status as in document_processing_queue.';
COMMENT ON COLUMN stuck_documents.retry_count IS 'Attempts of the current stage.';
COMMENT ON COLUMN stuck_documents.error_message IS 'Reason for the last failure.';
COMMENT ON COLUMN stuck_documents.created_at IS 'Time of arrival.';
COMMENT ON COLUMN stuck_documents.updated_at IS 'Time of the last change.';
COMMENT ON COLUMN stuck_documents.hours_since_update IS 'Hours since the last change.';
