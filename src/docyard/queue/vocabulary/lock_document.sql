-- Locks a document after its live jobs, the order used everywhere. NULL when there is no such document.

CREATE OR REPLACE FUNCTION lock_document(wanted uuid) RETURNS documents
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found_document documents;
    locked bigint;
    live bigint;
BEGIN
    LOOP
        SELECT count(*) INTO locked FROM (SELECT FROM jobs WHERE document_id = wanted ORDER BY id FOR UPDATE) l;
        SELECT count(*) INTO live FROM jobs WHERE document_id = wanted;
        -- A worker that ended the job we waited for has perhaps queued the next stage.
        EXIT WHEN locked = live;
    END LOOP;
    SELECT * INTO found_document FROM documents WHERE id = wanted AND deleted_at IS NULL FOR UPDATE;
    RETURN found_document;
END $$;

REVOKE EXECUTE ON FUNCTION lock_document(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_document(uuid) TO docyard_web;
