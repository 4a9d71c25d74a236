-- The number of documents by status, with their retries and ages.
-- requires: document_processing_queue.sql

CREATE OR REPLACE VIEW queue_health_status WITH (security_invoker = true) AS
SELECT status, count(*) AS count, avg(retry_count) AS avg_retries, max(retry_count) AS max_retries,
    min(created_at) AS oldest_document, max(updated_at) AS latest_update,
    count(*) FILTER (WHERE final_status = 'permanently_failed') AS permanently_failed_count
FROM document_processing_queue GROUP BY status;

GRANT SELECT ON queue_health_status TO docyard_web;
