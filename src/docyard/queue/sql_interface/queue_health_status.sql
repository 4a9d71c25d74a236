-- The number of documents by status, with their retries and ages.
-- requires: document_processing_queue.sql

CREATE OR REPLACE VIEW queue_health_status WITH (security_invoker = true) AS
SELECT status, count(*) AS count, avg(retry_count) AS avg_retries, max(retry_count) AS max_retries,
    min(created_at) AS oldest_document, max(updated_at) AS latest_update,
    count(*) FILTER (WHERE final_status = 'permanently_failed') AS permanently_failed_count
FROM document_processing_queue GROUP BY status;

GRANT SELECT ON queue_health_status TO docyard_web;

COMMENT ON VIEW queue_health_status IS
    'Documents counted by status. Documents that wait for a retry are failed here, but pending on the pages and in docyard '
    'queue status. Read only.';
COMMENT ON COLUMN queue_health_status.status IS 'Status as in document_processing_queue.';
COMMENT ON COLUMN queue_health_status.count IS 'Number of documents.';
COMMENT ON COLUMN queue_health_status.avg_retries IS 'Mean number of attempts.';
COMMENT ON COLUMN queue_health_status.max_retries IS 'Largest number of attempts.';
COMMENT ON COLUMN queue_health_status.oldest_document IS 'Arrival of the oldest document.';
COMMENT ON COLUMN queue_health_status.latest_update IS 'Time of the latest change.';
COMMENT ON COLUMN queue_health_status.permanently_failed_count IS
    'Number of documents whose final_status is permanently_failed.';
