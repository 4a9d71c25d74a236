-- Documents that have not changed for over an hour: processing, failed, or waiting for an outside processor.
-- requires: queue_state.sql

CREATE OR REPLACE VIEW stuck_documents WITH (security_invoker = true) AS
SELECT d.seq AS id, d.seq AS source_document_id, d.id AS source_document_uuid, q.status,
    CASE WHEN q.word = 'failed' AND q.final THEN 'permanently_failed' ELSE q.status END AS final_status,
    q.attempts AS retry_count, q.last_error AS error_message, d.created_at, q.updated_at,
    extract(epoch FROM now() - q.updated_at) / 3600 AS hours_since_update
FROM documents d CROSS JOIN LATERAL queue_state(d) q
WHERE d.deleted_at IS NULL AND (q.word IN ('processing', 'failed') OR q.parked)
    AND q.updated_at < now() - interval '1 hour'
ORDER BY q.updated_at;

GRANT SELECT ON stuck_documents TO docyard_web;

COMMENT ON VIEW stuck_documents IS
    'Documents that have not changed for over an hour, oldest change first: processing, failed, or waiting for an outside '
    'processor because Docyard cannot fetch their file. Read only.';
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
