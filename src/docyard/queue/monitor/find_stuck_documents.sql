-- Returns the documents that are stuck: unchanged for longer than unchanged_for, and either not ended, or failed although
-- a reset can revive them. A document that waits for an outside processor has not ended. Pages, metrics, commands and
-- the view stuck_documents use this function.
-- requires: find_resettable_documents.sql

CREATE OR REPLACE FUNCTION find_stuck_documents(unchanged_for interval DEFAULT '1 hour')
RETURNS TABLE (document_id uuid, unchanged_since timestamptz) LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.id, d.updated_at FROM documents d
    WHERE d.completed_at IS NULL AND d.deleted_at IS NULL AND d.updated_at < clock_timestamp() - unchanged_for
    UNION ALL
    SELECT r.document_id, r.updated_at FROM find_resettable_documents() r
    WHERE r.updated_at < clock_timestamp() - unchanged_for;
END;

REVOKE EXECUTE ON FUNCTION find_stuck_documents(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_stuck_documents(interval) TO docyard_web, docyard_operator;
