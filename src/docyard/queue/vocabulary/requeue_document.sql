-- Queues a document again: a waiting job runs now, a running one is taken from its worker, an ended one is revived.
-- requires: entry_stage.sql

-- Revives an ended document. False when another try cannot change how it ended.
CREATE OR REPLACE FUNCTION revive_document(d documents) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    letter dead_letters;
    woken text;
BEGIN
    IF d.status = 'failed' THEN
        SELECT * INTO letter FROM dead_letters WHERE document_id = d.id AND type = 'document'
        ORDER BY died_at DESC, id LIMIT 1 FOR UPDATE;
    END IF;
    IF NOT coalesce(letter.retryable, d.retryable) THEN
        RETURN false;
    END IF;
    IF letter.id IS NOT NULL THEN
        -- Attempts that are left are kept, or resetting would never come to an end. With none left all are granted anew.
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
        -- "retry": the program forgets what did not succeed, then goes on with the stage that comes next.
        INSERT INTO jobs (workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key, payload)
        VALUES (d.workspace_id, entry_stage(), 'document', entry_stage(), d.id, d.tier, d.priority, d.created_at,
            'road:' || d.id, '{"retry": true}')
        ON CONFLICT DO NOTHING RETURNING pool INTO woken;
    END IF;
    IF woken IS NULL THEN
        RETURN false;
    END IF;
    PERFORM note_reset(d, d.status, letter.failure_history -> -1 ->> 'worker'), pg_notify('docyard_jobs', woken);
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
    SELECT * INTO j FROM jobs WHERE document_id = wanted AND type = 'document' ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1;
    IF j.id IS NULL THEN
        RETURN revive_document(d);
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

REVOKE EXECUTE ON FUNCTION revive_document(documents), requeue_document(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION revive_document(documents), requeue_document(uuid, text) TO docyard_web;
