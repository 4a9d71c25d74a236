-- The trigger for updates of extraction_jobs: a job can be cancelled, or queued again.
-- requires: extraction_jobs.sql

CREATE OR REPLACE FUNCTION change_extraction_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    old_status text := OLD.status;
    ended jobs;
    letter dead_letters;
    changed boolean := false;
BEGIN
    PERFORM set_config('docyard.matched', '1', true);
    OLD.status := NEW.status;
    IF NEW IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'Only the status of an extraction job can be changed'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set status to cancelled or pending.';
    ELSIF NEW.status IS NOT DISTINCT FROM old_status THEN
        RAISE NOTICE 'Job % is not changed: it already has the status %.', OLD.id, old_status;
        RETURN NULL;
    END IF;
    IF NEW.status = 'cancelled' THEN
        DELETE FROM jobs WHERE id = OLD.id RETURNING * INTO ended;
        changed := ended.id IS NOT NULL;
        INSERT INTO job_history (
            id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
            fence, worker_id, failure_history, arrived_at, started_at, finished_at)
        SELECT ended.id, ended.workspace_id, ended.pool, ended.tier, ended.type, ended.stage, ended.document_id,
            ended.entity_type, ended.entity_id, 'cancelled', ended.attempts, ended.replays, ended.fence + 1,
            ended.worker_id, ended.failure_history, ended.arrived_at, ended.started_at, clock_timestamp()
        WHERE changed;
        INSERT INTO tallies (pool, tier, event, jobs) SELECT ended.pool, ended.tier, 'cancelled', 1 WHERE changed;
    ELSIF NEW.status = 'pending' THEN
        UPDATE jobs SET state = 'pending', run_at = NULL WHERE id = OLD.id AND state = 'scheduled';
        changed := FOUND;
        SELECT * INTO letter FROM dead_letters WHERE id = OLD.id FOR UPDATE;
        IF letter.id IS NOT NULL AND letter.retryable THEN
            INSERT INTO jobs (
                id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
                dedupe_key, max_attempts, replays, fence, failure_history, arrived_at)
            VALUES (
                letter.id, letter.workspace_id, letter.pool, letter.tier, letter.priority, letter.type, letter.stage,
                letter.document_id, letter.entity_type, letter.entity_id, letter.payload, letter.dedupe_key,
                letter.max_attempts, letter.replays + 1, letter.fence, letter.failure_history, letter.arrived_at)
            ON CONFLICT DO NOTHING;
            changed := FOUND;
            DELETE FROM dead_letters WHERE id = letter.id AND changed;
        END IF;
        PERFORM pg_notify('docyard_jobs', extraction_pool(OLD.job_type)) WHERE changed;
    ELSE
        RAISE EXCEPTION 'The status of an extraction job cannot be set to %',
            coalesce(quote_literal(NEW.status), 'NULL') USING ERRCODE = 'invalid_parameter_value', HINT = 'Set status to cancelled or pending.';
    END IF;
    IF changed THEN
        RETURN NEW;
    ELSIF letter.id IS NOT NULL AND NOT letter.retryable THEN
        RAISE NOTICE 'Job % is not changed: it cannot succeed (category %).', OLD.id, letter.category;
    ELSE
        RAISE NOTICE 'Job % is not changed: it is % and ignores the status %.', OLD.id, old_status, NEW.status;
    END IF;
    RETURN NULL;  -- the row does not count as updated
END $$;
CREATE OR REPLACE TRIGGER change_extraction_job INSTEAD OF UPDATE ON extraction_jobs
    FOR EACH ROW EXECUTE FUNCTION change_extraction_job();

REVOKE EXECUTE ON FUNCTION change_extraction_job() FROM PUBLIC;
