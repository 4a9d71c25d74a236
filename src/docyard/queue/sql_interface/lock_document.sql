-- Locks the live jobs of a document and its dead letters, then the document, and returns it. Returns NULL and says why if
-- the document does not exist, is deleted, or is locked by another transaction. Every transaction that locks jobs and
-- documents uses this order, except SELECT … FOR UPDATE on a view, which has locked the document before. Therefore this
-- function never waits for a lock. It tries again, for at most a second in each transaction: a worker that meanwhile
-- waits for a lock of this transaction gives up after two.

CREATE OR REPLACE FUNCTION lock_document(wanted uuid) RETURNS documents
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found_document documents;
    number bigint;
    locked bigint;
    tries integer;
BEGIN
    LOOP
        WITH locked_jobs AS (SELECT FROM jobs WHERE document_id = wanted FOR UPDATE SKIP LOCKED),
            locked_letters AS (SELECT FROM dead_letters WHERE document_id = wanted FOR UPDATE SKIP LOCKED)
        SELECT (SELECT count(*) FROM locked_jobs) + (SELECT count(*) FROM locked_letters) INTO locked;
        IF locked = count_jobs_and_letters(wanted) THEN
            SELECT * INTO found_document FROM documents WHERE id = wanted AND deleted_at IS NULL FOR UPDATE SKIP LOCKED;
            -- Before the document was locked, another transaction may have enqueued it.
            EXIT WHEN FOUND AND locked = count_jobs_and_letters(wanted);
        END IF;
        SELECT seq INTO number FROM documents WHERE id = wanted AND deleted_at IS NULL;
        IF NOT FOUND THEN
            RAISE NOTICE 'There is no document %: it does not exist, is deleted, or is in another workspace.', wanted;
            RETURN NULL;
        END IF;
        -- The tries are counted, because the clock may be set back.
        tries := coalesce(nullif(current_setting('docyard.lock_tries', true), '')::integer, 0);
        IF tries = 100 THEN
            RAISE NOTICE 'Document % is not changed: another transaction is changing it.', number;
            RETURN NULL;
        END IF;
        PERFORM set_config('docyard.lock_tries', (tries + 1)::text, true), pg_sleep(0.01);
    END LOOP;
    RETURN found_document;
END $$;

-- Returns how many live jobs and dead letters a document has.
CREATE OR REPLACE FUNCTION count_jobs_and_letters(wanted uuid) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT (SELECT count(*) FROM jobs WHERE document_id = wanted)
        + (SELECT count(*) FROM dead_letters WHERE document_id = wanted)
$$;

REVOKE EXECUTE ON FUNCTION lock_document(uuid), count_jobs_and_letters(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_document(uuid), count_jobs_and_letters(uuid) TO docyard_web;
