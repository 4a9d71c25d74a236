-- OCR: where the text of a page comes from, how sure each of its words is, and a stage that reads scans.

ALTER TABLE pages
    ADD COLUMN source text NOT NULL DEFAULT 'text',
    ADD COLUMN confidences bytea NOT NULL DEFAULT '',
    ADD CONSTRAINT pages_source_known CHECK (source IN ('text', 'scan', 'ocr')),
    -- A byte for each word of 24 bytes, or none where nobody had to guess.
    ADD CONSTRAINT pages_confidences_whole
        CHECK (octet_length(confidences) = 0 OR octet_length(confidences) * 24 = octet_length(words));

INSERT INTO pools (pool, resource) VALUES ('ocr', 'ocr');

-- The stages in the order of the road; a test compares it with the program's.
CREATE OR REPLACE FUNCTION road_stages() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['fetch', 'extract', 'ocr', 'classify', 'chunk'];

-- Failures that no further try can cure; a test compares the list with the program's.
CREATE OR REPLACE FUNCTION failure_is_final(category text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(category IN ('ai_content_blocked', 'validation', 'unsupported_file_type', 'not_found', 'unauthorized',
                             'empty', 'corrupt', 'encrypted', 'no_text', 'not_installed', 'unknown_type'), false);

-- Puts an ended document back on its road. False when it can never succeed, or there is nothing left to do.
CREATE OR REPLACE FUNCTION requeue_ended(d documents) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    letter dead_letters;
    next_stage text;
    woken text;
BEGIN
    IF d.status = 'failed' THEN
        SELECT * INTO letter FROM dead_letters WHERE document_id = d.id AND type = 'document'
        ORDER BY died_at DESC, id LIMIT 1 FOR UPDATE;
        IF failure_is_final(coalesce(letter.category, d.reason_category)) THEN
            RETURN false;
        END IF;
    ELSIF d.reason_category IN ('unsupported_file_type', 'no_text') THEN
        RETURN false;
    END IF;
    IF letter.id IS NOT NULL THEN
        -- Attempts that are left are kept, or resetting would never come to an end; with none left all are given anew.
        INSERT INTO jobs (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at)
        VALUES (
            letter.id, letter.workspace_id, letter.pool, letter.tier, letter.priority, letter.type, letter.stage,
            letter.document_id, letter.entity_type, letter.entity_id, letter.payload, letter.dedupe_key,
            CASE WHEN letter.attempts < letter.max_attempts THEN letter.attempts ELSE 0 END, letter.max_attempts,
            letter.replays + 1, letter.fence, letter.failure_history, letter.arrived_at)
        ON CONFLICT DO NOTHING RETURNING pool INTO woken;
        DELETE FROM dead_letters WHERE id = letter.id AND woken IS NOT NULL;
    ELSE
        DELETE FROM stage_results WHERE document_id = d.id AND d.status = 'completed'
            AND (outcome = 'degraded' OR stage = 'classify' AND d.title IS NULL);
        SELECT s.stage INTO next_stage FROM unnest(road_stages()) WITH ORDINALITY AS s (stage, place)
        WHERE NOT EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = s.stage)
            -- Scans are read only where there are any.
            AND (s.stage <> 'ocr' OR EXISTS (
                SELECT FROM pages p WHERE p.document_id = d.id AND p.source = 'scan'))
        ORDER BY s.place LIMIT 1;
        INSERT INTO jobs (workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key)
        SELECT d.workspace_id, next_stage, 'document', next_stage, d.id, d.tier, d.priority, d.created_at,
            'road:' || d.id
        WHERE next_stage IS NOT NULL
        ON CONFLICT DO NOTHING RETURNING pool INTO woken;
    END IF;
    IF woken IS NULL THEN
        RETURN false;
    END IF;
    PERFORM note_reset(d, d.status, letter.failure_history -> -1 ->> 'worker'), pg_notify('docyard_jobs', woken);
    RETURN true;
END $$;

-- A document whose scans are being read is not read yet.
CREATE OR REPLACE VIEW source_documents WITH (security_invoker = true) AS
SELECT d.seq AS id, d.id AS document_uuid,
    (SELECT w.seq FROM workspaces w WHERE w.id = d.workspace_id) AS project_fk_id, d.workspace_id AS project_uuid,
    d.original_path AS original_file_path, d.name AS original_file_name, d.media_type AS detected_file_type,
    substring(d.original_path FROM '^s3://[^/]+/(.+)$') AS s3_key,
    CASE
        WHEN d.status IN ('completed', 'cancelled') THEN d.status
        WHEN d.status = 'failed' AND d.reason_category = 'outside' AND d.processor_metadata ? 'status'
            THEN d.processor_metadata ->> 'status'
        WHEN d.stage IS DISTINCT FROM 'ocr'
            AND EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = 'extract')
            THEN CASE d.status WHEN 'failed' THEN 'error_' || coalesce(d.reason_category, 'unknown')
                               ELSE 'ocr_complete_pending_doc_node' END
        WHEN d.status = 'failed' THEN 'error_ocr_failed'
        WHEN d.status = 'processing' THEN 'pre_ocr_processing'
        -- What a bucket announced is known to await reading; the rest has yet to be looked at.
        WHEN d.attempt_started_at IS NULL AND d.source <> 'bucket'
            AND starts_with(coalesce(d.original_path, ''), 's3://') IS FALSE THEN 'pending_intake'
        ELSE 'pre_ocr_pending'
    END AS initial_processing_status,
    d.reason AS error_message, d.reason_category AS error_category, d.size AS file_size, d.sha256, d.title, d.summary,
    d.document_date, d.language, d.tags, d.created_at, d.updated_at
FROM documents d WHERE d.deleted_at IS NULL;

-- One row per document, whatever has become of its jobs.
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
        d.status = 'completed' OR d.stage IS DISTINCT FROM 'ocr'
            AND EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = 'extract') AS read
    FROM documents d LEFT JOIN LATERAL (
        SELECT id, state, attempts, max_attempts, worker_id, started_at, failure_history FROM jobs
        WHERE document_id = d.id AND type = 'document'
        ORDER BY array_position(road_stages(), stage), id LIMIT 1) j ON true
    LEFT JOIN LATERAL (
        SELECT l.attempts, l.max_attempts, l.failure_history -> -1 ->> 'worker' AS worker, l.failure_history,
            l.died_at AS ended_at
        FROM dead_letters l WHERE d.status = 'failed' AND l.document_id = d.id AND l.type = 'document'
        UNION ALL
        SELECT h.attempts, NULL, h.worker_id::text, h.failure_history, h.finished_at
        FROM job_history h
        WHERE d.status IN ('completed', 'cancelled') AND h.document_id = d.id AND h.type = 'document'
            -- Both were written in one transaction; without the range every day's partition would be looked at.
            AND h.finished_at BETWEEN d.completed_at - interval '1 hour' AND d.completed_at + interval '1 minute'
        ORDER BY ended_at DESC LIMIT 1) p ON true
    WHERE d.deleted_at IS NULL) q;
