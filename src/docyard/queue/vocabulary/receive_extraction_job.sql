-- Inserts into extraction_jobs.
-- requires: extraction_jobs.sql

CREATE OR REPLACE FUNCTION receive_extraction_job() RETURNS trigger
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
CREATE OR REPLACE TRIGGER receive_extraction_job INSTEAD OF INSERT ON extraction_jobs
    FOR EACH ROW EXECUTE FUNCTION receive_extraction_job();

REVOKE EXECUTE ON FUNCTION receive_extraction_job() FROM PUBLIC;
