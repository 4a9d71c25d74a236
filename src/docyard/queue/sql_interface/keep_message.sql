-- Text that an operator or an outside processor wrote to error_message.
-- requires: first_job.sql, parking.sql

-- Returns a text as it is stored: cut at 10,000 characters.
CREATE OR REPLACE FUNCTION cut_message(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(said, 10000);

-- Returns the metadata of a document with one more message; the last 20 are kept.
CREATE OR REPLACE FUNCTION add_message(metadata jsonb, status text, said text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN said IS NULL THEN metadata ELSE metadata || jsonb_build_object('messages',
    CASE jsonb_typeof(metadata -> 'messages') WHEN 'array'
        THEN jsonb_path_query_array(metadata -> 'messages', '$[last - 18 to last]') ELSE '[]' END
    || jsonb_build_object('at', clock_timestamp(), 'status', status, 'error_message', said)) END;

-- Returns why a document failed last, or what it waits for; NULL if neither is known.
CREATE OR REPLACE FUNCTION find_own_reason(d documents) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT CASE
        WHEN d.status = 'failed' THEN coalesce((
            SELECT l.message FROM dead_letters l WHERE l.document_id = d.id AND l.type = 'document'
            ORDER BY l.died_at DESC, l.id LIMIT 1), d.reason)
        WHEN d.status = 'pending' AND NOT is_fetchable(d.blob_key, d.original_path)
            THEN explain_parking(d.original_path)
        WHEN d.completed_at IS NULL THEN (first_job(d.id)).failure_history -> -1 ->> 'message' END
$$;

-- Keeps a text that was set without a new status; NULL removes the text that was set before. Returns false if nothing
-- changes, for example because another transaction has locked the document.
CREATE OR REPLACE FUNCTION keep_message(wanted uuid, status text, said text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
    shown text := coalesce(said, find_own_reason(d));
BEGIN
    IF d.id IS NULL THEN
        RETURN false;
    ELSIF said IS NULL AND shown IS NOT DISTINCT FROM d.reason THEN
        RAISE NOTICE 'Document % is not changed: its error_message was not set, but explains its state.', d.seq;
        RETURN false;
    END IF;
    UPDATE documents SET reason = shown, updated_at = clock_timestamp(),
        processor_metadata = add_message(processor_metadata, keep_message.status, said)
    WHERE id = d.id;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id);
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION cut_message(text), add_message(jsonb, text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION find_own_reason(documents), keep_message(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cut_message(text), add_message(jsonb, text, text) TO docyard_web;
GRANT EXECUTE ON FUNCTION find_own_reason(documents), keep_message(uuid, text, text) TO docyard_web;
