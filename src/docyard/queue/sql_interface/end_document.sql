-- Ends a document and its jobs with an outcome that an outside processor or an operator reported.
-- The word is the status that was written; it is pending if a reset ends the last attempt of a document.
-- Returns false and changes nothing if the document has already ended, does not exist, or is locked by another transaction.

CREATE OR REPLACE FUNCTION end_document(wanted uuid, ended_as text, word text, said text, processor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    -- An outside processor holds the document; its attempt has not been counted yet.
    j jobs := first_job(wanted);
    held boolean := coalesce(is_held(j.state, j.started_at), false);
    named text := coalesce(processor, CASE WHEN held THEN d.processor_metadata ->> 'last_processor' END);
    explanation text := coalesce(nullif(said, ''), CASE word
        WHEN 'pending' THEN 'The document was queued again by SQL during its last attempt, so it has no attempt left.'
        ELSE format('An outside processor set the status to %s.', word) END);
BEGIN
    IF d.id IS NULL THEN
        RETURN false;
    ELSIF d.completed_at IS NOT NULL THEN
        RAISE NOTICE 'Document % is not changed: it has ended (%) and ignores the status %.', d.seq, d.status, word;
        RETURN false;
    END IF;
    IF ended_as = 'failed' THEN
        WITH ended AS (
            DELETE FROM jobs WHERE id = (
                SELECT id FROM jobs WHERE document_id = wanted AND type = 'document'
                ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1)
            RETURNING *,
                least(attempts + CASE WHEN state = 'running' THEN 0 ELSE 1 END, max_attempts) AS spent
        ), tallied AS (
            INSERT INTO tallies (pool, tier, event, category, jobs) SELECT pool, tier, 'dead', 'outside', 1 FROM ended)
        INSERT INTO dead_letters (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at, started_at, category,
            message, retryable)
        SELECT e.id, e.workspace_id, e.pool, e.tier, e.priority, e.type, e.stage, e.document_id, e.entity_type,
            e.entity_id, e.payload, e.dedupe_key, e.spent, e.max_attempts, e.replays, e.fence + 1,
            e.failure_history || jsonb_build_object(
                'at', clock_timestamp(), 'category', 'outside', 'message', explanation,
                'worker', coalesce(named, e.worker_id::text), 'attempt', e.spent, 'stage', e.stage),
            e.arrived_at, e.started_at, 'outside', explanation, true
        FROM ended e;
    END IF;
    -- All other jobs of the document's pipeline end too.
    WITH ended AS (
        DELETE FROM jobs WHERE document_id = wanted AND type = 'document'
        RETURNING *, CASE WHEN ended_as = 'completed' THEN 'done' ELSE 'cancelled' END AS outcome
    ), tallied AS (
        INSERT INTO tallies (pool, tier, event, jobs) SELECT pool, tier, outcome, count(*) FROM ended GROUP BY 1, 2, 3)
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT e.id, e.workspace_id, e.pool, e.tier, e.type, e.stage, e.document_id, e.entity_type, e.entity_id, e.outcome,
        e.attempts + held::integer, e.replays, e.fence + 1, CASE WHEN ended_as <> 'completed' THEN e.worker_id END, e.failure_history,
        e.arrived_at, e.started_at, clock_timestamp()
    FROM ended e;
    UPDATE documents SET status = ended_as, stage = CASE WHEN ended_as = 'completed' THEN NULL ELSE stage END,
        reason = CASE ended_as WHEN 'failed' THEN explanation ELSE said END,
        reason_category = CASE WHEN ended_as = 'failed' THEN 'outside' END,
        completed_at = clock_timestamp(), updated_at = clock_timestamp(), retryable = true,
        first_completed_at = coalesce(first_completed_at, CASE WHEN ended_as = 'completed' THEN clock_timestamp() END),
        processor_metadata = add_message(processor_metadata, word, CASE WHEN ended_as <> 'failed' THEN said END)
            - 'last_processor' - 'status' - 'text_read' || jsonb_strip_nulls(jsonb_build_object(
            'last_processor', named,
            'text_read', CASE WHEN held AND ended_as = 'failed' AND word NOT IN ('ocr_failed', 'error_ocr_failed')
                THEN d.processor_metadata -> 'text_read' END,
            'status', CASE WHEN word LIKE 'error%' OR word = 'ocr_failed' THEN word END))
    WHERE id = wanted;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id);
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION end_document(uuid, text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_document(uuid, text, text, text, text) TO docyard_web;
