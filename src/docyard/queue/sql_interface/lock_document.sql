-- Locks the live jobs of a document, then the document, and returns it; NULL if it does not exist or is deleted.
-- Every transaction that locks both uses this order.

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
        -- While this function waited for the lock of a job, a worker may have settled it and enqueued the next stage.
        EXIT WHEN locked = live;
    END LOOP;
    SELECT * INTO found_document FROM documents WHERE id = wanted AND deleted_at IS NULL FOR UPDATE;
    RETURN found_document;
END $$;

REVOKE EXECUTE ON FUNCTION lock_document(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_document(uuid) TO docyard_web;
