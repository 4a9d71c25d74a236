-- The stage, and pool, by which documents enter or re-enter the road. The SQL doors know this one alone: the program
-- decides which stage a document really needs next, and moves the job there. A test compares it with the registry.

CREATE OR REPLACE FUNCTION entry_stage() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'fetch';
