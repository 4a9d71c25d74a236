-- The SQL vocabulary of operators and outside programs: views that they read and write, and what a write does.
-- Nothing of Docyard itself passes through here; our own settlement never fires these triggers.

-- What outside processors and resets leave on a document; it outlives its jobs and their history.
ALTER TABLE documents ADD COLUMN processor_metadata jsonb NOT NULL DEFAULT '{}',
    ADD CONSTRAINT documents_processor_metadata_object CHECK (jsonb_typeof(processor_metadata) = 'object');

-- The stages in the order of the road; a test compares it with the program's.
CREATE FUNCTION road_stages() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['fetch', 'extract', 'classify', 'chunk'];

-- Failures that no further try can cure; a test compares the list with the program's.
CREATE FUNCTION failure_is_final(category text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(category IN ('ai_content_blocked', 'validation', 'unsupported_file_type', 'not_found', 'unauthorized',
                             'empty', 'corrupt', 'encrypted', 'no_text', 'unknown_type'), false);

-- A live job in the vocabulary's words. Waiting after a spent attempt is a failure; after a snooze it is not.
CREATE FUNCTION job_word(state text, attempts integer, failures jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN state IN ('running', 'waiting') THEN 'processing'
    WHEN state = 'scheduled' AND failures -> -1 -> 'attempt' = to_jsonb(attempts) THEN 'failed'
    ELSE 'pending' END;

-- The history of failures under the vocabulary's names.
CREATE FUNCTION failures_in_words(failures jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'failed_at', f.it -> 'at', 'error', f.it -> 'message', 'processor', f.it -> 'worker',
        'retry_count', f.it -> 'attempt', 'category', f.it -> 'category', 'stage', f.it -> 'stage'
        ) ORDER BY f.place), '[]')
    FROM jsonb_array_elements(CASE jsonb_typeof(failures) WHEN 'array' THEN failures ELSE '[]' END)
        WITH ORDINALITY AS f (it, place));

CREATE VIEW source_documents WITH (security_invoker = true) AS
SELECT d.seq AS id, d.id AS document_uuid,
    (SELECT w.seq FROM workspaces w WHERE w.id = d.workspace_id) AS project_fk_id, d.workspace_id AS project_uuid,
    d.original_path AS original_file_path, d.name AS original_file_name, d.media_type AS detected_file_type,
    substring(d.original_path FROM '^s3://[^/]+/(.+)$') AS s3_key,
    CASE
        WHEN d.status IN ('completed', 'cancelled') THEN d.status
        WHEN d.status = 'failed' AND d.reason_category = 'outside' AND d.processor_metadata ? 'status'
            THEN d.processor_metadata ->> 'status'
        WHEN EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = 'extract')
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
CREATE VIEW document_processing_queue WITH (security_invoker = true) AS
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
        d.status = 'completed'
            OR EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = 'extract') AS read
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

CREATE VIEW queue_health_status WITH (security_invoker = true) AS
SELECT status, count(*) AS count, avg(retry_count) AS avg_retries, max(retry_count) AS max_retries,
    min(created_at) AS oldest_document, max(updated_at) AS latest_update,
    count(*) FILTER (WHERE final_status = 'permanently_failed') AS permanently_failed_count
FROM document_processing_queue GROUP BY status;

CREATE VIEW stuck_documents WITH (security_invoker = true) AS
SELECT id, source_document_id, source_document_uuid, status, final_status, retry_count, error_message, created_at,
    updated_at, extract(epoch FROM now() - updated_at) / 3600 AS hours_since_update
FROM document_processing_queue
WHERE status IN ('processing', 'failed') AND updated_at < now() - interval '1 hour' ORDER BY updated_at;

-- The document and its live jobs, locked; jobs come first, as everywhere. NULL when there is no such document.
CREATE FUNCTION lock_document(wanted uuid) RETURNS documents
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found_document documents;
    locked bigint;
    live bigint;
BEGIN
    LOOP
        SELECT count(*) INTO locked FROM (SELECT FROM jobs WHERE document_id = wanted ORDER BY id FOR UPDATE) l;
        SELECT count(*) INTO live FROM jobs WHERE document_id = wanted;
        -- A worker that ended the job we waited for has perhaps queued the next stage.
        EXIT WHEN locked = live;
    END LOOP;
    SELECT * INTO found_document FROM documents WHERE id = wanted AND deleted_at IS NULL FOR UPDATE;
    RETURN found_document;
END $$;

-- Notes on a document that it was queued again, when, and who had it last.
CREATE FUNCTION note_reset(noted documents, previous_status text, last_processor text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE documents SET status = 'pending', completed_at = NULL, updated_at = clock_timestamp(),
        reason = CASE WHEN noted.completed_at IS NULL THEN reason END,
        reason_category = CASE WHEN noted.completed_at IS NULL THEN reason_category END,
        running_seconds = CASE WHEN noted.completed_at IS NULL THEN running_seconds ELSE 0 END,
        processor_metadata = processor_metadata - 'last_processor' - 'status' || jsonb_build_object(
            'retry_history', h.so_far || jsonb_build_object(
                'retry_number', jsonb_array_length(h.so_far) + 1, 'reset_at', clock_timestamp(),
                'previous_status', previous_status,
                'last_processor', coalesce(noted.processor_metadata ->> 'last_processor', last_processor)))
    FROM (SELECT CASE jsonb_typeof(noted.processor_metadata -> 'retry_history')
                 WHEN 'array' THEN noted.processor_metadata -> 'retry_history' ELSE '[]' END AS so_far) h
    WHERE id = noted.id;
    SELECT pg_notify('docyard_documents', noted.workspace_id || ':' || noted.id);
$$;

-- The outcome door: ends a document and its queue entry. False when it had ended before; that is left as it is.
CREATE FUNCTION end_document(wanted uuid, ended_as text, word text, said text, processor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    explained text := format('An outside processor set the status to %s', word) || coalesce(': ' || said, '.');
BEGIN
    IF d.id IS NULL OR d.completed_at IS NOT NULL THEN
        RETURN false;
    END IF;
    IF ended_as = 'failed' THEN
        WITH ended AS (
            DELETE FROM jobs WHERE id = (
                SELECT id FROM jobs WHERE document_id = wanted AND type = 'document'
                ORDER BY array_position(road_stages(), stage), id LIMIT 1)
            RETURNING *,
                least(attempts + CASE WHEN state = 'running' THEN 0 ELSE 1 END, max_attempts) AS spent)
        INSERT INTO dead_letters (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at, started_at, category,
            message)
        SELECT e.id, e.workspace_id, e.pool, e.tier, e.priority, e.type, e.stage, e.document_id, e.entity_type,
            e.entity_id, e.payload, e.dedupe_key, e.spent, e.max_attempts, e.replays, e.fence + 1,
            e.failure_history || jsonb_build_object(
                'at', clock_timestamp(), 'category', 'outside', 'message', explained,
                'worker', coalesce(processor, e.worker_id::text), 'attempt', e.spent, 'stage', e.stage),
            e.arrived_at, e.started_at, 'outside', explained
        FROM ended e;
    END IF;
    -- Whatever else was under way for this document has become pointless.
    WITH ended AS (
        DELETE FROM jobs WHERE document_id = wanted AND type = 'document'
        RETURNING *, CASE WHEN ended_as = 'completed' THEN 'done' ELSE 'cancelled' END AS outcome)
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT e.id, e.workspace_id, e.pool, e.tier, e.type, e.stage, e.document_id, e.entity_type, e.entity_id, e.outcome,
        e.attempts, e.replays, e.fence + 1, CASE WHEN ended_as <> 'completed' THEN e.worker_id END, e.failure_history,
        e.arrived_at, e.started_at, clock_timestamp()
    FROM ended e;
    UPDATE documents SET status = ended_as, stage = CASE WHEN ended_as = 'completed' THEN NULL ELSE stage END,
        reason = CASE ended_as WHEN 'failed' THEN explained WHEN 'cancelled' THEN said END,
        reason_category = CASE WHEN ended_as = 'failed' THEN 'outside' END,
        completed_at = clock_timestamp(), updated_at = clock_timestamp(),
        processor_metadata = processor_metadata - 'last_processor' - 'status' || jsonb_strip_nulls(jsonb_build_object(
            'last_processor', processor, 'status', CASE WHEN word LIKE 'error%' OR word = 'ocr_failed' THEN word END))
    WHERE id = wanted;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id);
    RETURN true;
END $$;

-- Puts an ended document back on its road. False when it can never succeed, or there is nothing left to do.
CREATE FUNCTION requeue_ended(d documents) RETURNS boolean
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

-- Queues a document again: a waiting job runs now, a running one is taken from its worker, an ended one is revived.
CREATE FUNCTION requeue_document(wanted uuid, said text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    j jobs;
BEGIN
    IF d.id IS NULL THEN
        RETURN false;
    END IF;
    SELECT * INTO j FROM jobs WHERE document_id = wanted AND type = 'document'
    ORDER BY array_position(road_stages(), stage), id LIMIT 1;
    IF j.id IS NULL THEN
        RETURN requeue_ended(d);
    ELSIF j.state = 'scheduled' THEN
        UPDATE jobs SET state = 'pending', run_at = NULL WHERE id = j.id;
    ELSIF j.state = 'running' AND j.attempts < j.max_attempts THEN
        UPDATE jobs SET state = 'pending', fence = fence + 1, worker_id = NULL, deadline_at = NULL, started_at = NULL,
            failure_history = failure_history || jsonb_build_object(
                'at', clock_timestamp(), 'category', 'outside', 'message', coalesce(said, 'Taken back by an operator.'),
                'worker', j.worker_id, 'attempt', j.attempts, 'stage', j.stage)
        WHERE id = j.id;
    ELSIF j.state = 'running' THEN
        -- Without an attempt left it would run for ever, or never again.
        RETURN end_document(wanted, 'failed', 'failed', coalesce(said, 'No attempt was left.'), NULL);
    ELSE
        RETURN false;
    END IF;
    PERFORM note_reset(d, job_word(j.state, j.attempts, j.failure_history),
                       coalesce(j.worker_id::text, j.failure_history -> -1 ->> 'worker')),
            pg_notify('docyard_jobs', j.pool);
    RETURN true;
END $$;

-- What a status in the queue's words asks for; true when something was changed.
CREATE FUNCTION set_queue_status(wanted uuid, word text, said text, processor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF word = 'pending' THEN
        RETURN requeue_document(wanted, said);
    ELSIF word IN ('completed', 'failed', 'cancelled') THEN
        RETURN end_document(wanted, word, word, said, processor);
    ELSIF word = 'processing' THEN
        RAISE EXCEPTION 'A document cannot be set to processing: only a worker''s claim gives leases'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, completed, failed or cancelled.';
    END IF;
    RAISE EXCEPTION 'There is no queue status %', coalesce(quote_literal(word), 'NULL')
        USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, completed, failed or cancelled.';
END $$;

CREATE FUNCTION change_queue_entry() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    changed boolean := false;
    said text;
BEGIN
    IF (NEW.id, NEW.source_document_id, NEW.source_document_uuid)
        IS DISTINCT FROM (OLD.id, OLD.source_document_id, OLD.source_document_uuid) THEN
        RAISE EXCEPTION 'A queue entry cannot be given to another document' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NEW.status IS DISTINCT FROM OLD.status THEN
        IF NEW.error_message IS DISTINCT FROM OLD.error_message THEN
            said := NEW.error_message;
        ELSIF NEW.last_error IS DISTINCT FROM OLD.last_error THEN
            said := NEW.last_error;
        END IF;
        changed := set_queue_status(OLD.source_document_uuid, NEW.status, said,
            CASE WHEN NEW.processor_id IS DISTINCT FROM OLD.processor_id THEN NEW.processor_id END);
    END IF;
    IF NEW.priority IS DISTINCT FROM OLD.priority THEN
        UPDATE jobs SET priority = NEW.priority WHERE document_id = OLD.source_document_uuid AND type = 'document';
        UPDATE documents SET priority = NEW.priority, updated_at = clock_timestamp()
        WHERE id = OLD.source_document_uuid AND deleted_at IS NULL;
        changed := true;
    END IF;
    IF changed THEN
        RETURN NEW;
    END IF;
    RETURN NULL;  -- and so is not counted among the updated
END $$;
CREATE TRIGGER change_queue_entry INSTEAD OF UPDATE ON document_processing_queue
    FOR EACH ROW EXECUTE FUNCTION change_queue_entry();

-- The intake door for outside SQL; the trigger on documents queues what it makes.
CREATE FUNCTION receive_source_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    word text := coalesce(NEW.initial_processing_status, 'pending_intake');
    project workspaces;
BEGIN
    IF NEW.id IS NOT NULL THEN
        RAISE EXCEPTION 'The id of a document is given by Docyard' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Leave id out; document_uuid may be given.';
    END IF;
    IF word NOT IN ('pending_intake', 'pre_ocr_pending', 'completed') AND word NOT LIKE 'error%' THEN
        RAISE EXCEPTION 'A document cannot arrive with the status %', quote_literal(word)
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Arrive as pending_intake, pre_ocr_pending, completed or error….';
    END IF;
    IF NEW.s3_key <> substring(coalesce(NEW.original_file_path, '') FROM '^s3://[^/]+/(.+)$') IS NOT FALSE
        AND NEW.s3_key IS NOT NULL THEN
        RAISE EXCEPTION 's3_key % is not the key of original_file_path', quote_literal(NEW.s3_key)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Give original_file_path as s3://bucket/key.';
    END IF;
    IF coalesce(NEW.original_file_name, NEW.original_file_path) IS NULL THEN
        RAISE EXCEPTION 'A document needs original_file_name or original_file_path'
            USING ERRCODE = 'not_null_violation';
    END IF;
    IF NEW.project_uuid IS NOT NULL THEN
        SELECT * INTO project FROM workspaces WHERE id = NEW.project_uuid;
    ELSE
        SELECT * INTO project FROM workspaces WHERE seq = NEW.project_fk_id;
    END IF;
    IF project.id IS NULL OR project.seq <> NEW.project_fk_id THEN
        RAISE EXCEPTION 'There is no workspace with project_uuid % and project_fk_id %',
            coalesce(NEW.project_uuid::text, 'NULL'), coalesce(NEW.project_fk_id::text, 'NULL')
            USING ERRCODE = 'foreign_key_violation',
            HINT = 'Name an existing one by project_uuid, project_fk_id or both.';
    END IF;
    INSERT INTO documents (
        id, workspace_id, name, original_path, media_type, size, sha256, title, summary, document_date, language, tags,
        created_at, status, completed_at, reason, reason_category, processor_metadata)
    VALUES (
        coalesce(NEW.document_uuid, gen_random_uuid()), project.id,
        coalesce(NEW.original_file_name, substring(NEW.original_file_path FROM '[^/]+$')), NEW.original_file_path,
        NEW.detected_file_type, NEW.file_size, NEW.sha256, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        coalesce(NEW.tags, '{}'), coalesce(NEW.created_at, now()),
        CASE WHEN word = 'completed' THEN word WHEN word LIKE 'error%' THEN 'failed' ELSE 'pending' END,
        CASE WHEN word = 'completed' OR word LIKE 'error%' THEN clock_timestamp() END,
        CASE WHEN word LIKE 'error%' THEN coalesce(NEW.error_message, 'It arrived with the status ' || word || '.') END,
        CASE WHEN word LIKE 'error%' THEN 'outside' END,
        CASE WHEN word LIKE 'error%' THEN jsonb_build_object('status', word) ELSE '{}' END)
    RETURNING seq, id, name, created_at, updated_at, tags
    INTO NEW.id, NEW.document_uuid, NEW.original_file_name, NEW.created_at, NEW.updated_at, NEW.tags;
    NEW.project_uuid := project.id;
    NEW.project_fk_id := project.seq;
    NEW.initial_processing_status := word;
    RETURN NEW;
END $$;
CREATE TRIGGER receive_source_document INSTEAD OF INSERT ON source_documents
    FOR EACH ROW EXECUTE FUNCTION receive_source_document();

CREATE FUNCTION change_source_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    word text := NEW.initial_processing_status;
    said text := CASE WHEN NEW.error_message IS DISTINCT FROM OLD.error_message THEN NEW.error_message END;
    changed boolean := false;
BEGIN
    IF (NEW.id, NEW.document_uuid, NEW.project_fk_id, NEW.project_uuid, NEW.original_file_path, NEW.s3_key, NEW.sha256,
        NEW.file_size) IS DISTINCT FROM (OLD.id, OLD.document_uuid, OLD.project_fk_id, OLD.project_uuid,
        OLD.original_file_path, OLD.s3_key, OLD.sha256, OLD.file_size) THEN
        RAISE EXCEPTION 'Identity, project, place and content of a document do not change'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF word IS NULL OR word IS DISTINCT FROM OLD.initial_processing_status THEN
        IF word IN ('completed', 'cancelled') THEN
            changed := end_document(OLD.document_uuid, word, word, said, NULL);
        ELSIF word LIKE 'error%' OR word = 'ocr_failed' THEN
            changed := end_document(OLD.document_uuid, 'failed', word, said, NULL);
        ELSIF word IN ('pending_intake', 'pre_ocr_pending') THEN
            changed := requeue_document(OLD.document_uuid, said);
        ELSE
            RAISE EXCEPTION 'A document cannot be set to the status %', coalesce(quote_literal(word), 'NULL')
                USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Set completed, cancelled, ocr_failed, error…, pending_intake or pre_ocr_pending.';
        END IF;
    END IF;
    IF (NEW.original_file_name, NEW.detected_file_type, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        NEW.tags) IS DISTINCT FROM (OLD.original_file_name, OLD.detected_file_type, OLD.title, OLD.summary,
        OLD.document_date, OLD.language, OLD.tags) THEN
        UPDATE documents SET name = NEW.original_file_name, media_type = NEW.detected_file_type, title = NEW.title,
            summary = NEW.summary, document_date = NEW.document_date, language = NEW.language,
            tags = coalesce(NEW.tags, '{}'), updated_at = clock_timestamp()
        WHERE id = OLD.document_uuid AND deleted_at IS NULL;
        changed := changed OR FOUND;
    END IF;
    IF changed THEN
        RETURN NEW;
    END IF;
    RETURN NULL;  -- and so is not counted among the updated
END $$;
CREATE TRIGGER change_source_document INSTEAD OF UPDATE ON source_documents
    FOR EACH ROW EXECUTE FUNCTION change_source_document();

-- The operators' bulk reset: failed for longer than the cool-down, attempts left, and able to succeed.
CREATE FUNCTION reset_failed_documents_for_retry(cool_down interval DEFAULT '5 minutes') RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    reset_count integer;
BEGIN
    UPDATE document_processing_queue SET status = 'pending'
    WHERE status = 'failed' AND retry_count < max_retries
        AND completed_at <= clock_timestamp() - coalesce(cool_down, interval '5 minutes');
    GET DIAGNOSTICS reset_count = ROW_COUNT;
    RETURN reset_count;
END $$;

CREATE FUNCTION update_queue_status_with_history(
    queue_id bigint, new_status text, error_message text DEFAULT NULL, processor_id text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    wanted uuid := (SELECT d.id FROM documents d WHERE d.seq = queue_id AND d.deleted_at IS NULL);
BEGIN
    IF wanted IS NULL THEN
        RAISE EXCEPTION 'There is no queue entry %', coalesce(queue_id::text, 'NULL') USING ERRCODE = 'no_data_found';
    END IF;
    PERFORM set_queue_status(wanted, new_status, error_message, processor_id);
END $$;

-- The pool that serves a type of job outside the road; NULL for a type that is unknown here.
CREATE FUNCTION extraction_pool(job_type text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE job_type WHEN 'email_embedding' THEN 'fetch' WHEN 'attachment_ingestion' THEN 'fetch'
                     WHEN 'document_ocr' THEN 'extract' END;

-- Jobs are listed by the thing they concern; the road's name none, and so cost nothing here.
CREATE INDEX jobs_by_entity ON jobs (entity_id, entity_type) WHERE entity_id IS NOT NULL;
CREATE INDEX job_history_by_entity ON job_history (entity_id, entity_type) WHERE entity_id IS NOT NULL;
CREATE INDEX dead_letters_by_entity ON dead_letters (entity_id, entity_type) WHERE entity_id IS NOT NULL;

CREATE VIEW extraction_jobs WITH (security_invoker = true) AS
SELECT j.id, j.workspace_id AS yacht_id, j.type AS job_type,
    (SELECT t.name FROM tiers t WHERE t.tier = j.tier) AS priority, j.entity_type, j.entity_id,
    j.payload - 'metadata' AS payload, j.status, j.attempts, j.created_at, j.started_at,
    j.completed_at, j.completed_by, j.failure_history -> -1 ->> 'message' AS error,
    CASE jsonb_typeof(j.payload -> 'metadata') WHEN 'object' THEN j.payload -> 'metadata' ELSE '{}' END
        || jsonb_build_object('pool', j.pool, 'failure_history', failures_in_words(j.failure_history)) AS metadata
FROM (
    SELECT id, workspace_id, pool, tier, type, entity_type, entity_id, payload, failure_history, attempts, created_at,
        started_at, job_word(state, attempts, failure_history) AS status, NULL::timestamptz AS completed_at,
        NULL::text AS completed_by
    FROM jobs
    UNION ALL
    SELECT id, workspace_id, pool, tier, type, entity_type, entity_id, NULL, failure_history, attempts, arrived_at,
        started_at, CASE WHEN outcome IN ('done', 'degraded') THEN 'completed' ELSE 'cancelled' END, finished_at,
        worker_id::text
    FROM job_history
    UNION ALL
    SELECT id, workspace_id, pool, tier, type, entity_type, entity_id, payload, failure_history, attempts, arrived_at,
        started_at, 'failed', died_at, failure_history -> -1 ->> 'worker'
    FROM dead_letters) j
WHERE extraction_pool(j.type) IS NOT NULL;

CREATE FUNCTION receive_extraction_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    of_tier smallint := (SELECT t.tier FROM tiers t WHERE t.name = coalesce(NEW.priority, 'background'));
    given jsonb := coalesce(NEW.payload, '{}');
    wrong text := CASE
        WHEN extraction_pool(NEW.job_type) IS NULL THEN format(
            'There is no job type %s; the types are email_embedding, attachment_ingestion and document_ocr',
            coalesce(quote_literal(NEW.job_type), 'NULL'))
        WHEN of_tier IS NULL THEN format('There is no priority %L; the tiers are %s', NEW.priority,
            (SELECT string_agg(t.name, ', ' ORDER BY t.tier) FROM tiers t))
        WHEN jsonb_typeof(given) <> 'object' THEN 'The payload must be a JSON object'
        WHEN jsonb_typeof(coalesce(NEW.metadata, '{}')) <> 'object' THEN 'The metadata must be a JSON object'
        WHEN coalesce(NEW.status, 'pending') <> 'pending' THEN 'A new job is pending, or has no status at all'
        WHEN NOT EXISTS (SELECT FROM workspaces w WHERE w.id = NEW.yacht_id) THEN format(
            'There is no workspace with yacht_id %s', coalesce(NEW.yacht_id::text, 'NULL')) END;
BEGIN
    IF coalesce(NEW.metadata, '{}') <> '{}' AND wrong IS NULL THEN
        given := given || jsonb_build_object('metadata', NEW.metadata);
    END IF;
    IF wrong IS NULL AND pg_column_size(given) > 65536 THEN
        wrong := 'The payload must be at most 64 KiB';
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION '%', wrong USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO jobs (id, workspace_id, pool, tier, type, entity_type, entity_id, payload, created_at, arrived_at)
    VALUES (coalesce(NEW.id, new_job_id()), NEW.yacht_id, extraction_pool(NEW.job_type), of_tier, NEW.job_type,
        NEW.entity_type, NEW.entity_id, given, coalesce(NEW.created_at, now()), coalesce(NEW.created_at, now()))
    RETURNING id, created_at, attempts INTO NEW.id, NEW.created_at, NEW.attempts;
    PERFORM pg_notify('docyard_jobs', extraction_pool(NEW.job_type));
    NEW.priority := coalesce(NEW.priority, 'background');
    NEW.payload := given - 'metadata';
    NEW.status := 'pending';
    RETURN NEW;
END $$;
CREATE TRIGGER receive_extraction_job INSTEAD OF INSERT ON extraction_jobs
    FOR EACH ROW EXECUTE FUNCTION receive_extraction_job();

GRANT SELECT ON source_documents, document_processing_queue, queue_health_status, stuck_documents, extraction_jobs
    TO docyard_web;
GRANT INSERT ON source_documents, extraction_jobs TO docyard_web;
GRANT UPDATE ON source_documents, document_processing_queue TO docyard_web;
-- An outside error becomes a dead letter in the name of whoever reports it.
GRANT INSERT ON dead_letters TO docyard_web;

-- The views and their triggers run in the name of who uses them, so these are needed; the operators' two are not.
REVOKE EXECUTE ON FUNCTION road_stages(), failure_is_final(text), job_word(text, integer, jsonb),
    failures_in_words(jsonb), lock_document(uuid), note_reset(documents, text, text),
    end_document(uuid, text, text, text, text), requeue_ended(documents), requeue_document(uuid, text),
    set_queue_status(uuid, text, text, text), change_queue_entry(), receive_source_document(), change_source_document(),
    reset_failed_documents_for_retry(interval), update_queue_status_with_history(bigint, text, text, text),
    extraction_pool(text), receive_extraction_job() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION road_stages(), failure_is_final(text), job_word(text, integer, jsonb),
    failures_in_words(jsonb), lock_document(uuid), note_reset(documents, text, text),
    end_document(uuid, text, text, text, text), requeue_ended(documents), requeue_document(uuid, text),
    set_queue_status(uuid, text, text, text), extraction_pool(text) TO docyard_web;
