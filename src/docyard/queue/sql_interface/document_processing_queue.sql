-- The queue for operators: one row per document, with its live job, else its dead letter or finished job.
-- requires: job_words.sql, is_read.sql

CREATE OR REPLACE VIEW document_processing_queue WITH (security_invoker = true) AS
SELECT q.id, q.source_document_id, q.source_document_uuid, q.status,
    CASE WHEN q.status = 'failed' AND q.job_id IS NULL THEN 'permanently_failed' ELSE q.status END AS final_status,
    CASE WHEN q.read THEN 'ocr_complete' WHEN q.status = 'failed' THEN 'ocr_failed'
         WHEN q.status IN ('pending', 'processing') THEN 'pre_ocr_' || q.status END AS ocr_phase,
    q.priority, q.attempts, q.attempts AS retry_count, q.max_attempts, q.max_attempts AS max_retries,
    q.processor_id, q.last_attempt_at, q.last_error, q.last_error AS error_message,
    q.started_at AS processing_started_at, q.started_at,
    q.completed_at AS processing_completed_at, q.completed_at, q.created_at, q.updated_at,
    q.processor_metadata || jsonb_strip_nulls(jsonb_build_object('last_processor', q.processor_id))
        AS processor_metadata,
    failures_in_words(q.failures) AS failure_history
FROM (
    SELECT d.seq AS id, d.seq AS source_document_id, d.id AS source_document_uuid, j.id AS job_id, d.priority,
        CASE WHEN j.id IS NULL THEN d.status ELSE job_word(j.state, j.attempts, j.failure_history) END AS status,
        coalesce(j.attempts, p.attempts, 0) AS attempts, coalesce(j.max_attempts, p.max_attempts, 3) AS max_attempts,
        coalesce(j.worker_id::text, d.processor_metadata ->> 'last_processor', p.worker,
                 j.failure_history -> -1 ->> 'worker') AS processor_id,
        greatest(j.started_at, d.attempt_started_at) AS last_attempt_at,
        coalesce(d.reason, j.failure_history -> -1 ->> 'message') AS last_error,
        CASE WHEN j.id IS NULL THEN d.attempt_started_at ELSE j.started_at END AS started_at,
        CASE WHEN d.completed_at IS NOT NULL THEN d.completed_at
             WHEN job_word(j.state, j.attempts, j.failure_history) = 'failed' THEN d.updated_at END AS completed_at,
        d.created_at, greatest(d.updated_at, j.started_at) AS updated_at, d.processor_metadata,
        coalesce(j.failure_history, p.failure_history, '[]') AS failures,
        d.status = 'completed' OR is_read(d) AS read
    FROM documents d LEFT JOIN LATERAL (
        SELECT id, state, attempts, max_attempts, worker_id, started_at, failure_history FROM jobs
        WHERE document_id = d.id AND type = 'document'
        -- If there are several jobs, use the one whose stage comes first in the pipeline.
        ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1) j ON true
    LEFT JOIN LATERAL (
        SELECT l.attempts, l.max_attempts, l.failure_history -> -1 ->> 'worker' AS worker, l.failure_history,
            l.died_at AS ended_at
        FROM dead_letters l WHERE d.status = 'failed' AND l.document_id = d.id AND l.type = 'document'
        UNION ALL
        SELECT h.attempts, NULL, h.worker_id::text, h.failure_history, h.finished_at
        FROM job_history h
        WHERE d.status IN ('completed', 'cancelled') AND h.document_id = d.id AND h.type = 'document'
            -- Document and history are written in one transaction. The range limits the scan to one or two partitions.
            AND h.finished_at BETWEEN d.completed_at - interval '1 hour' AND d.completed_at + interval '1 minute'
        ORDER BY ended_at DESC LIMIT 1) p ON true
    WHERE d.deleted_at IS NULL) q;

GRANT SELECT, UPDATE ON document_processing_queue TO docyard_web;

COMMENT ON VIEW document_processing_queue IS
    'The queue for operators, one row per document. Status and priority can be changed with UPDATE.';
COMMENT ON COLUMN document_processing_queue.id IS 'Number of the document.';
COMMENT ON COLUMN document_processing_queue.source_document_id IS 'Number of the document.';
COMMENT ON COLUMN document_processing_queue.source_document_uuid IS 'Id of the document.';
COMMENT ON COLUMN document_processing_queue.status IS
    'pending, processing, completed, failed or cancelled. A document that waits for a retry is failed.';
COMMENT ON COLUMN document_processing_queue.final_status IS
    'Like status, but permanently_failed if the document failed and no job is queued for it.';
COMMENT ON COLUMN document_processing_queue.ocr_phase IS
    'pre_ocr_pending, pre_ocr_processing, ocr_complete or ocr_failed.';
COMMENT ON COLUMN document_processing_queue.priority IS
    'Lower numbers are served first within a tier and workspace; the default is 100.';
COMMENT ON COLUMN document_processing_queue.attempts IS 'Attempts of the current stage.';
COMMENT ON COLUMN document_processing_queue.retry_count IS 'Same as attempts.';
COMMENT ON COLUMN document_processing_queue.max_attempts IS 'Attempts that a stage may take.';
COMMENT ON COLUMN document_processing_queue.max_retries IS 'Same as max_attempts.';
COMMENT ON COLUMN document_processing_queue.processor_id IS
    'Worker that has the document or had it last, or the name reported by an outside processor.';
COMMENT ON COLUMN document_processing_queue.last_attempt_at IS 'Start of the last attempt.';
COMMENT ON COLUMN document_processing_queue.last_error IS 'Reason for the last failure.';
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
    'last_processor, and retry_history: each reset with retry_number, reset_at, previous_status and last_processor.';
COMMENT ON COLUMN document_processing_queue.failure_history IS
    'Each failure with failed_at, error, processor, retry_count, category and stage.';
