-- The stage, and pool, of jobs that SQL enqueues for a document. It is the only stage named in SQL: the worker
-- decides which stage the document needs next, and moves the job there. A test compares it with the stage registry.

CREATE OR REPLACE FUNCTION entry_stage() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'fetch';
