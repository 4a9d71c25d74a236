-- Parks the leased job of a document that this installation cannot fetch. Returns fetchable, parked, lost (the lease was
-- lost) or exhausted (its outside processors have used up all attempts).

CREATE OR REPLACE FUNCTION park_job(leased uuid, leased_fence bigint, leased_by uuid) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    j jobs;
    d documents;
    -- The attempt that the claim has counted is spent only if an outside processor had the document and did not report.
    spent integer;
BEGIN
    SELECT * INTO j FROM jobs WHERE id = leased AND fence = leased_fence AND worker_id = leased_by FOR UPDATE;
    SELECT * INTO d FROM documents WHERE id = j.document_id;
    spent := j.attempts - CASE WHEN j.failure_history @> jsonb_build_array(
        jsonb_build_object('held', true, 'attempt', j.attempts)) THEN 0 ELSE 1 END;
    IF j.id IS NULL THEN
        RETURN 'lost';
    ELSIF is_fetchable(d.blob_key, d.original_path) THEN
        RETURN 'fetchable';
    ELSIF spent >= j.max_attempts THEN
        RETURN 'exhausted';
    END IF;
    UPDATE jobs SET state = 'scheduled', run_at = parked_until(), attempts = spent, fence = fence + 1, worker_id = NULL,
        deadline_at = NULL, started_at = NULL
    WHERE id = j.id;
    UPDATE documents SET status = 'pending', reason = explain_parking(d.original_path), reason_category = NULL,
        updated_at = clock_timestamp()
    WHERE id = d.id;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id);
    RETURN 'parked';
END $$;

REVOKE EXECUTE ON FUNCTION park_job(uuid, bigint, uuid) FROM PUBLIC;
