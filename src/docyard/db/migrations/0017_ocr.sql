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
