-- Documents that have made no progress for over an hour.
-- requires: document_processing_queue.sql, find_stuck_documents.sql

CREATE OR REPLACE VIEW stuck_documents WITH (security_invoker = true) AS
SELECT q.id, q.source_document_id, q.source_document_uuid, q.status, q.final_status, q.retry_count, q.error_message,
    q.created_at, q.updated_at, extract(epoch FROM clock_timestamp() - s.unchanged_since) / 3600 AS hours_since_update
FROM find_stuck_documents() s JOIN document_processing_queue q ON q.source_document_uuid = s.document_id
ORDER BY s.unchanged_since;

GRANT SELECT ON stuck_documents TO docyard_web;

COMMENT ON VIEW stuck_documents IS
    'Documents without progress for over an hour: not ended, or failed although a reset can revive them. Read only.';
COMMENT ON COLUMN stuck_documents.id IS 'Number of the document.';
COMMENT ON COLUMN stuck_documents.source_document_id IS 'Number of the document.';
COMMENT ON COLUMN stuck_documents.source_document_uuid IS 'Id of the document.';
COMMENT ON COLUMN stuck_documents.status IS 'Status as in document_processing_queue.';
COMMENT ON COLUMN stuck_documents.final_status IS 'final_status as in document_processing_queue.';
COMMENT ON COLUMN stuck_documents.retry_count IS 'Attempts of the current stage.';
COMMENT ON COLUMN stuck_documents.error_message IS 'error_message as in document_processing_queue.';
COMMENT ON COLUMN stuck_documents.created_at IS 'Time of arrival.';
COMMENT ON COLUMN stuck_documents.updated_at IS 'Time of the last change.';
COMMENT ON COLUMN stuck_documents.hours_since_update IS 'Hours since the last change.';
