-- Returns the job of a document's pipeline; of several, the one whose stage comes first in the pipeline.

CREATE OR REPLACE FUNCTION first_job(of_document uuid) RETURNS jobs
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT * FROM jobs WHERE document_id = of_document AND type = 'document'
    ORDER BY (SELECT p.place FROM pools p WHERE p.pool = jobs.stage), id LIMIT 1
$$;

REVOKE EXECUTE ON FUNCTION first_job(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION first_job(uuid) TO docyard_web;
