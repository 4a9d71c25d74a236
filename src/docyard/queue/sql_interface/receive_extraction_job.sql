-- The trigger for inserts into extraction_jobs: it checks a job and enqueues it.
-- requires: extraction_jobs.sql

CREATE OR REPLACE FUNCTION receive_extraction_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    of_tier smallint := (SELECT t.tier FROM tiers t WHERE t.name = coalesce(NEW.priority, 'background'));
    new_payload jsonb := coalesce(NEW.payload, '{}');
    problem text := CASE
        WHEN extraction_pool(NEW.job_type) IS NULL THEN format(
            'There is no job type %s; use email_embedding, attachment_ingestion or document_ocr',
            coalesce(quote_literal(NEW.job_type), 'NULL'))
        WHEN of_tier IS NULL THEN format('There is no priority %L; use one of %s', NEW.priority,
            (SELECT string_agg(t.name, ', ' ORDER BY t.tier) FROM tiers t))
        WHEN jsonb_typeof(new_payload) <> 'object' THEN 'The payload must be a JSON object'
        WHEN jsonb_typeof(coalesce(NEW.metadata, '{}')) <> 'object' THEN 'The metadata must be a JSON object'
        WHEN coalesce(NEW.status, 'pending') <> 'pending' THEN 'The status of a new job must be pending or NULL'
        WHEN NOT EXISTS (SELECT FROM workspaces w WHERE w.id = NEW.yacht_id) THEN format(
            'There is no workspace with yacht_id %s', coalesce(NEW.yacht_id::text, 'NULL')) END;
BEGIN
    IF coalesce(NEW.metadata, '{}') <> '{}' AND problem IS NULL THEN
        new_payload := new_payload || jsonb_build_object('metadata', NEW.metadata);
    END IF;
    IF problem IS NULL AND pg_column_size(new_payload) > 65536 THEN
        problem := 'The payload must be at most 64 KiB';
    END IF;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION '%', problem USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO jobs (id, workspace_id, pool, tier, type, entity_type, entity_id, payload, created_at, arrived_at)
    VALUES (coalesce(NEW.id, new_job_id()), NEW.yacht_id, extraction_pool(NEW.job_type), of_tier, NEW.job_type,
        NEW.entity_type, NEW.entity_id, new_payload, coalesce(NEW.created_at, now()), coalesce(NEW.created_at, now()))
    RETURNING id, created_at, attempts INTO NEW.id, NEW.created_at, NEW.attempts;
    PERFORM pg_notify('docyard_jobs', extraction_pool(NEW.job_type));
    NEW.priority := coalesce(NEW.priority, 'background');
    NEW.payload := new_payload - 'metadata';
    NEW.status := 'pending';
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER receive_extraction_job INSTEAD OF INSERT ON extraction_jobs
    FOR EACH ROW EXECUTE FUNCTION receive_extraction_job();

REVOKE EXECUTE ON FUNCTION receive_extraction_job() FROM PUBLIC;
