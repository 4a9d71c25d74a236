-- Which failed documents a reset queues. The SQL interface, the duty of workers, and the definition of stuck use these
-- functions.

-- Returns whether a reset queues the job of a dead letter: it can succeed and has attempts left.
CREATE OR REPLACE FUNCTION is_resettable(letter dead_letters) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN letter.type = 'document' AND letter.retryable AND letter.attempts < letter.max_attempts;

-- Returns the failed documents that a reset queues. A document without a dead letter is not among them: an operator
-- discarded it.
CREATE OR REPLACE FUNCTION find_resettable_documents()
RETURNS TABLE (document_id uuid, completed_at timestamptz, updated_at timestamptz) LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.id, d.completed_at, d.updated_at FROM documents d
    WHERE d.status = 'failed' AND d.deleted_at IS NULL
        AND d.id IN (SELECT l.document_id FROM dead_letters l WHERE is_resettable(l))
        AND NOT EXISTS (SELECT FROM jobs j WHERE j.document_id = d.id AND j.type = 'document');
END;

REVOKE EXECUTE ON FUNCTION is_resettable(dead_letters), find_resettable_documents() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_resettable(dead_letters), find_resettable_documents() TO docyard_web, docyard_operator;
