-- What the job of a document's pipeline tells about the document.
-- requires: parking.sql

-- Returns whether an attempt is under way: a worker runs the job, or an outside processor holds the document.
CREATE OR REPLACE FUNCTION has_attempt(of_document uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
    SELECT FROM jobs j
    WHERE j.document_id = of_document AND j.type = 'document' AND (j.state = 'running' OR is_held(j.state, j.started_at)));

-- Returns whether the job has a failed or postponed attempt of this category. The job of the next stage has none, even if
-- the document got its reason from the stage before.
CREATE OR REPLACE FUNCTION is_retried(of_document uuid, category text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
    SELECT FROM jobs j WHERE j.document_id = of_document AND j.type = 'document'
        AND j.failure_history @> jsonb_build_array(jsonb_build_object('category', category)));

REVOKE EXECUTE ON FUNCTION has_attempt(uuid), is_retried(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION has_attempt(uuid), is_retried(uuid, text) TO docyard_web;
