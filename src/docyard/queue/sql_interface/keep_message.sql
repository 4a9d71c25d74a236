-- Text that an operator or an outside processor wrote to error_message.

-- Returns the metadata of a document with one more message.
CREATE OR REPLACE FUNCTION add_message(metadata jsonb, status text, said text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN said IS NULL THEN metadata ELSE metadata || jsonb_build_object('messages',
    CASE jsonb_typeof(metadata -> 'messages') WHEN 'array' THEN metadata -> 'messages' ELSE '[]' END
    || jsonb_build_object('at', clock_timestamp(), 'status', status, 'error_message', said)) END;

-- Keeps a text that was set without a new status; returns false if there is no such document or it is locked.
CREATE OR REPLACE FUNCTION keep_message(wanted uuid, status text, said text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    d documents := lock_document(wanted);
BEGIN
    UPDATE documents SET reason = said, updated_at = clock_timestamp(),
        processor_metadata = add_message(processor_metadata, keep_message.status, said)
    WHERE id = d.id;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id) WHERE d.id IS NOT NULL;
    RETURN d.id IS NOT NULL;
END $$;

REVOKE EXECUTE ON FUNCTION add_message(jsonb, text, text), keep_message(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_message(jsonb, text, text), keep_message(uuid, text, text) TO docyard_web;
