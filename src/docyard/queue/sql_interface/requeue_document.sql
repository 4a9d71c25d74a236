-- Enqueues a document again: a scheduled job becomes pending, a running or held job is taken from its worker or outside
-- processor, and an ended document gets a new job. A running or held job without attempts left fails.
-- requires: entry_stage.sql, parking.sql

-- Enqueues an ended document again; returns queued, or NULL if it is not retryable or already has a live job.
CREATE OR REPLACE FUNCTION revive_document(d documents, said text, reset_reason text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    letter dead_letters;
    revived jobs;
    parked boolean := NOT is_fetchable(d.blob_key, d.original_path);
BEGIN
    IF d.status = 'failed' THEN
        SELECT * INTO letter FROM dead_letters WHERE document_id = d.id AND type = 'document'
        ORDER BY died_at DESC, id LIMIT 1 FOR UPDATE;
    END IF;
    IF NOT coalesce(letter.retryable, d.retryable) THEN
        RAISE NOTICE 'Document % is not changed: it is % and %', d.seq, d.status,
            coalesce('cannot succeed (category ' || coalesce(letter.category, d.reason_category) || ').',
                     'has no stage left to retry.');
        RETURN NULL;
    END IF;
    IF letter.id IS NOT NULL THEN
        -- The number of attempts is kept, so that automatic resets end. If no attempt is left, it restarts at zero.
        INSERT INTO jobs (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at, state, run_at)
        VALUES (
            letter.id, letter.workspace_id, letter.pool, letter.tier, letter.priority, letter.type, letter.stage,
            letter.document_id, letter.entity_type, letter.entity_id, letter.payload, letter.dedupe_key,
            CASE WHEN letter.attempts < letter.max_attempts THEN letter.attempts ELSE 0 END, letter.max_attempts,
            letter.replays + 1, letter.fence, letter.failure_history, letter.arrived_at,
            CASE WHEN parked THEN 'scheduled' ELSE 'pending' END, CASE WHEN parked THEN parked_until() END)
        ON CONFLICT DO NOTHING RETURNING * INTO revived;
        DELETE FROM dead_letters WHERE id = letter.id AND revived.id IS NOT NULL;
    ELSE
        -- "retry": the worker deletes results of stages that did not succeed, then continues with the next stage.
        INSERT INTO jobs (
            workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key, payload, state, run_at)
        VALUES (d.workspace_id, entry_stage(), 'document', entry_stage(), d.id, d.tier, d.priority, d.created_at,
            'road:' || d.id, '{"retry": true}', CASE WHEN parked THEN 'scheduled' ELSE 'pending' END,
            CASE WHEN parked THEN parked_until() END)
        ON CONFLICT DO NOTHING RETURNING * INTO revived;
    END IF;
    IF revived.id IS NULL THEN
        RAISE NOTICE 'Document % is not changed: it is already queued.', d.seq;
        RETURN NULL;
    END IF;
    PERFORM note_reset(d, d.status, letter.failure_history -> -1 ->> 'worker', said, reset_reason),
        pg_notify('docyard_jobs', revived.pool);
    RETURN 'queued';
END $$;

-- Returns queued, failed if no attempt was left, skipped if another transaction is changing the document, or NULL if
-- nothing was changed for another reason. An automatic reset changes only documents that have failed.
CREATE OR REPLACE FUNCTION reset_document(wanted uuid, said text, reset_reason text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    j jobs := first_job(wanted);
    parked boolean := NOT is_fetchable(d.blob_key, d.original_path);
    -- An outside processor holds the document; its attempt has not been counted yet.
    held boolean := coalesce(is_held(j.state, j.started_at), false);
    spent integer := j.attempts + held::integer;
BEGIN
    IF d.id IS NULL THEN
        RETURN CASE WHEN EXISTS (SELECT FROM documents WHERE id = wanted AND deleted_at IS NULL) THEN 'skipped' END;
    ELSIF reset_reason = 'automatic_retry' AND NOT EXISTS (
        SELECT FROM document_processing_queue
        WHERE source_document_uuid = wanted AND final_status IN ('failed', 'ocr_failed')) THEN
        RAISE NOTICE 'Document % is not changed: it was queued or has ended meanwhile.', d.seq;
        RETURN NULL;
    ELSIF j.id IS NULL THEN
        RETURN revive_document(d, said, reset_reason);
    ELSIF is_parked(j.state, j.run_at) OR j.state IN ('pending', 'waiting') THEN
        RAISE NOTICE 'Document % is not changed: it is already queued.', d.seq;
        RETURN NULL;
    ELSIF (held OR j.state = 'running') AND spent >= j.max_attempts THEN
        -- A pending job must have an attempt left, so the document fails instead.
        PERFORM end_document(wanted, 'failed', 'pending', said, NULL);
        RAISE NOTICE 'Document % has failed instead of being queued: it has no attempt left.', d.seq;
        RETURN 'failed';
    END IF;
    UPDATE jobs SET state = CASE WHEN parked THEN 'scheduled' ELSE 'pending' END,
        run_at = CASE WHEN parked THEN parked_until() END, attempts = spent, fence = fence + 1, worker_id = NULL,
        deadline_at = NULL, started_at = NULL,
        failure_history = failure_history || CASE WHEN held OR j.state = 'running' THEN jsonb_build_object(
            'at', clock_timestamp(), 'category', 'outside',
            'message', coalesce(said, 'An operator queued the document again while it was running.'),
            'worker', coalesce(j.worker_id::text, d.processor_metadata ->> 'last_processor'), 'attempt', spent,
            'stage', j.stage) ELSE '[]' END
    WHERE id = j.id;
    PERFORM note_reset(d, CASE WHEN held THEN d.status ELSE job_word(j.state, j.attempts, j.failure_history, j.run_at) END,
                       coalesce(j.worker_id::text, j.failure_history -> -1 ->> 'worker'), said, reset_reason),
            pg_notify('docyard_jobs', j.pool);
    RETURN 'queued';
END $$;

-- Enqueues a document again and returns true; returns false if it was not queued.
CREATE OR REPLACE FUNCTION requeue_document(wanted uuid, said text, reset_reason text DEFAULT 'operator')
RETURNS boolean
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT reset_document(wanted, said, reset_reason) IS NOT DISTINCT FROM 'queued'
$$;

REVOKE EXECUTE ON FUNCTION revive_document(documents, text, text), reset_document(uuid, text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION requeue_document(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION revive_document(documents, text, text), reset_document(uuid, text, text) TO docyard_web;
GRANT EXECUTE ON FUNCTION requeue_document(uuid, text, text) TO docyard_web;
