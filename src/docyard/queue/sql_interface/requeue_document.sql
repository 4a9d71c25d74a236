-- Enqueues a document again: a scheduled job becomes pending, a running job is taken from its worker, and an ended
-- document gets a new job. A running job without attempts left fails.
-- requires: entry_stage.sql

-- Enqueues an ended document again. Returns false if it is not retryable or already has a live job.
CREATE OR REPLACE FUNCTION revive_document(d documents) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    letter dead_letters;
    notify_pool text;
BEGIN
    IF d.status = 'failed' THEN
        SELECT * INTO letter FROM dead_letters WHERE document_id = d.id AND type = 'document'
        ORDER BY died_at DESC, id LIMIT 1 FOR UPDATE;
    END IF;
    IF NOT coalesce(letter.retryable, d.retryable) THEN
        RETURN false;
    END IF;
    IF letter.id IS NOT NULL THEN
        -- The number of attempts is kept, so that automatic resets end. If no attempt is left, it restarts at zero.
        INSERT INTO jobs (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at)
        VALUES (
            letter.id, letter.workspace_id, letter.pool, letter.tier, letter.priority, letter.type, letter.stage,
            letter.document_id, letter.entity_type, letter.entity_id, letter.payload, letter.dedupe_key,
            CASE WHEN letter.attempts < letter.max_attempts THEN letter.attempts ELSE 0 END, letter.max_attempts,
            letter.replays + 1, letter.fence, letter.failure_history, letter.arrived_at)
        ON CONFLICT DO NOTHING RETURNING pool INTO notify_pool;
        DELETE FROM dead_letters WHERE id = letter.id AND notify_pool IS NOT NULL;
    ELSE
        -- "retry": the worker deletes results of stages that did not succeed, then continues with the next stage.
        INSERT INTO jobs (workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key, payload)
        VALUES (d.workspace_id, entry_stage(), 'document', entry_stage(), d.id, d.tier, d.priority, d.created_at,
            'road:' || d.id, '{"retry": true}')
        ON CONFLICT DO NOTHING RETURNING pool INTO notify_pool;
    END IF;
    IF notify_pool IS NULL THEN
        RETURN false;
    END IF;
    PERFORM note_reset(d, d.status, letter.failure_history -> -1 ->> 'worker'), pg_notify('docyard_jobs', notify_pool);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION requeue_document(wanted uuid, said text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    j jobs;
BEGIN
    IF d.id IS NULL THEN
        RETURN false;
    END IF;
    SELECT * INTO j FROM jobs WHERE document_id = wanted AND type = 'document'
    ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1;
    IF j.id IS NULL THEN
        RETURN revive_document(d);
    ELSIF j.state = 'scheduled' THEN
        UPDATE jobs SET state = 'pending', run_at = NULL WHERE id = j.id;
    ELSIF j.state = 'running' AND j.attempts < j.max_attempts THEN
        UPDATE jobs SET state = 'pending', fence = fence + 1, worker_id = NULL, deadline_at = NULL, started_at = NULL,
            failure_history = failure_history || jsonb_build_object(
                'at', clock_timestamp(), 'category', 'outside',
                'message', coalesce(said, 'An operator queued the document again while it was running.'),
                'worker', j.worker_id, 'attempt', j.attempts, 'stage', j.stage)
        WHERE id = j.id;
    ELSIF j.state = 'running' THEN
        -- A pending job must have an attempt left, so the document fails instead.
        RETURN end_document(wanted, 'failed', 'failed', coalesce(said, 'No attempts were left.'), NULL);
    ELSE
        RETURN false;
    END IF;
    PERFORM note_reset(d, job_word(j.state, j.attempts, j.failure_history),
                       coalesce(j.worker_id::text, j.failure_history -> -1 ->> 'worker')),
            pg_notify('docyard_jobs', j.pool);
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION revive_document(documents), requeue_document(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION revive_document(documents), requeue_document(uuid, text) TO docyard_web;
