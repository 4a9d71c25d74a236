-- The state of a document in the queue, from its live job, else from its dead letter, else from its job in the history.
-- requires: job_words.sql, is_read.sql, parking.sql, find_resettable_documents.sql

-- The view calls this function instead of joining the tables: SELECT … FOR UPDATE is rejected for a view with outer
-- joins, but locks the document alone if the rest comes from a function. The planner merges it into the query.
CREATE OR REPLACE FUNCTION queue_state(d documents) RETURNS TABLE (
    word text, status text, final boolean, parked boolean, read boolean, attempts integer, max_attempts integer,
    processor_id text, last_attempt_at timestamptz, last_error text, started_at timestamptz, completed_at timestamptz,
    updated_at timestamptz, failures jsonb)
LANGUAGE sql STABLE ROWS 1 BEGIN ATOMIC
    SELECT w.word,
        CASE WHEN NOT d.pre_ocr OR w.word IN ('completed', 'cancelled') THEN w.word
             WHEN w.read THEN CASE WHEN w.word = 'failed' OR w.claimed THEN w.word ELSE 'ocr_complete' END
             WHEN w.word = 'failed' THEN 'ocr_failed'
             ELSE 'pre_ocr_' || w.word END,
        j.id IS NULL AND l.resettable IS NOT TRUE,
        is_parked(j.state, j.run_at) IS TRUE, d.status = 'completed' OR w.read,
        -- The attempt of an outside processor counts when it ends, but is shown from its start, as that of a worker.
        coalesce(j.attempts + w.held::integer, l.attempts, e.attempts, 0), coalesce(j.max_attempts, l.max_attempts, 3),
        coalesce(j.worker_id::text, d.processor_metadata ->> 'last_processor', e.worker,
                 coalesce(j.failure_history, l.failure_history, e.failure_history) -> -1 ->> 'worker'),
        greatest(j.started_at, d.attempt_started_at), coalesce(d.reason, j.failure_history -> -1 ->> 'message'),
        CASE WHEN j.id IS NULL THEN d.attempt_started_at ELSE j.started_at END,
        CASE WHEN d.completed_at IS NOT NULL THEN d.completed_at WHEN w.word = 'failed' THEN d.updated_at END,
        greatest(d.updated_at, j.started_at), coalesce(j.failure_history, l.failure_history, e.failure_history, '[]')
    FROM (SELECT) one LEFT JOIN LATERAL (
        SELECT id, state, attempts, max_attempts, worker_id, run_at, started_at, failure_history FROM jobs
        WHERE document_id = d.id AND type = 'document'
        -- If there are several jobs, use the one whose stage comes first in the pipeline.
        ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1) j ON true
    LEFT JOIN LATERAL (
        SELECT l.id, l.attempts, l.max_attempts, l.failure_history, is_resettable(l) AS resettable
        FROM dead_letters l WHERE d.status = 'failed' AND l.document_id = d.id AND l.type = 'document'
        ORDER BY l.died_at DESC, l.id LIMIT 1) l ON true
    LEFT JOIN LATERAL (
        SELECT h.attempts, h.worker_id::text AS worker, h.failure_history FROM job_history h
        WHERE d.completed_at IS NOT NULL AND l.id IS NULL AND h.document_id = d.id AND h.type = 'document'
            -- Of a failed document without a dead letter, the job was discarded after the failure.
            AND (h.outcome = 'discarded') = (d.status = 'failed')
            -- Otherwise, document and history are written in one transaction. The range limits the scan to one or two
            -- partitions.
            AND h.finished_at >= d.completed_at - interval '1 hour'
            AND h.finished_at <= CASE WHEN d.status = 'failed' THEN 'infinity' ELSE d.completed_at + interval '1 minute' END
        ORDER BY h.finished_at DESC LIMIT 1) e ON true
    CROSS JOIN LATERAL (SELECT coalesce(is_held(j.state, j.started_at), false) AS held) h
    CROSS JOIN LATERAL (
        SELECT h.held,
            CASE WHEN j.id IS NULL OR h.held THEN d.status
                 ELSE job_word(j.state, j.attempts, j.failure_history, j.run_at) END AS word,
            h.held AND NOT d.processor_metadata ? 'status' AS claimed,
            is_read_outside(d, h.held) OR is_read(d) AS read) w;
END;

REVOKE EXECUTE ON FUNCTION queue_state(documents) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_state(documents) TO docyard_web;
