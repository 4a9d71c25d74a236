-- The queue for operators: one row per document, with its live job, else its dead letter or finished job.
-- requires: queue_state.sql, job_words.sql

CREATE OR REPLACE VIEW document_processing_queue WITH (security_invoker = true) AS
SELECT d.seq AS id, d.seq AS source_document_id, d.id AS source_document_uuid, q.status,
    CASE WHEN q.word = 'failed' AND q.final THEN 'permanently_failed' ELSE q.status END AS final_status,
    CASE WHEN q.read THEN 'ocr_complete' WHEN q.word = 'failed' THEN 'ocr_failed'
         WHEN q.word IN ('pending', 'processing') THEN 'pre_ocr_' || q.word END AS ocr_phase,
    d.priority, q.attempts, q.attempts AS retry_count, q.max_attempts, q.max_attempts AS max_retries,
    q.processor_id, q.last_attempt_at, q.last_error, q.last_error AS error_message,
    q.started_at AS processing_started_at, q.started_at,
    q.completed_at AS processing_completed_at, q.completed_at, d.created_at, q.updated_at,
    d.processor_metadata || jsonb_strip_nulls(jsonb_build_object('last_processor', q.processor_id))
        AS processor_metadata,
    failures_in_words(q.failures) AS failure_history
FROM documents d CROSS JOIN LATERAL queue_state(d) q WHERE d.deleted_at IS NULL;

GRANT SELECT, UPDATE ON document_processing_queue TO docyard_web;

COMMENT ON VIEW document_processing_queue IS
    'The queue for operators, one row per document. Status and priority can be changed with UPDATE.';
COMMENT ON COLUMN document_processing_queue.id IS 'Number of the document.';
COMMENT ON COLUMN document_processing_queue.source_document_id IS 'Number of the document.';
COMMENT ON COLUMN document_processing_queue.source_document_uuid IS 'Id of the document.';
COMMENT ON COLUMN document_processing_queue.status IS
    'pending, processing, completed, failed or cancelled. A document that waits for a retry is failed. If it was inserted '
    'as pre_ocr_pending: pre_ocr_pending, pre_ocr_processing or ocr_failed until its text is read, then ocr_complete, or '
    'processing if an outside processor has claimed it, until it ends.';
COMMENT ON COLUMN document_processing_queue.final_status IS
    'Like status, but permanently_failed if no reset queues the document: no attempts are left, it cannot succeed, or its '
    'dead letter was discarded.';
COMMENT ON COLUMN document_processing_queue.ocr_phase IS
    'pre_ocr_pending, pre_ocr_processing, ocr_complete or ocr_failed.';
COMMENT ON COLUMN document_processing_queue.priority IS
    'Lower numbers are served first within a tier and workspace; the default is 100.';
COMMENT ON COLUMN document_processing_queue.attempts IS 'Attempts of the current stage.';
COMMENT ON COLUMN document_processing_queue.retry_count IS 'Same as attempts.';
COMMENT ON COLUMN document_processing_queue.max_attempts IS 'Attempts that a stage may take.';
COMMENT ON COLUMN document_processing_queue.max_retries IS 'Same as max_attempts.';
COMMENT ON COLUMN document_processing_queue.processor_id IS
    'Worker that has the document or had it last, or the name that an outside processor gave.';
COMMENT ON COLUMN document_processing_queue.last_attempt_at IS 'Start of the last attempt.';
COMMENT ON COLUMN document_processing_queue.last_error IS
    'Reason for the last failure, text that was set, or what the document waits for.';
COMMENT ON COLUMN document_processing_queue.error_message IS 'Same as last_error.';
COMMENT ON COLUMN document_processing_queue.processing_started_at IS
    'Start of the current attempt, or of the last one if the document has ended.';
COMMENT ON COLUMN document_processing_queue.started_at IS 'Same as processing_started_at.';
COMMENT ON COLUMN document_processing_queue.processing_completed_at IS
    'Time when the document ended, or when the last attempt failed.';
COMMENT ON COLUMN document_processing_queue.completed_at IS 'Same as processing_completed_at.';
COMMENT ON COLUMN document_processing_queue.created_at IS 'Time of arrival.';
COMMENT ON COLUMN document_processing_queue.updated_at IS 'Time of the last change.';
COMMENT ON COLUMN document_processing_queue.processor_metadata IS
    'last_processor; retry_history: each reset with retry_number, reset_at, reset_reason, previous_status, previous_error, '
    'error_message and last_processor; messages: the last 20 other texts that were set, with at, status and '
    'error_message.';
COMMENT ON COLUMN document_processing_queue.failure_history IS
    'Each failure with failed_at, error, processor, retry_count, category and stage.';
