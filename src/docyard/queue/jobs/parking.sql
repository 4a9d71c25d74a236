-- Documents whose file this installation cannot fetch. Their job is parked: it waits until an outside processor reports
-- an outcome.

-- Returns whether a worker can get the content of a document: it is in the blob store. A path makes no difference,
-- because Docyard does not fetch files by path or from buckets yet.
CREATE OR REPLACE FUNCTION is_fetchable(blob_key text, original_path text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN blob_key IS NOT NULL;

-- Returns when a parked job is due: never in practice. It is a real time, because arithmetic with infinity fails before
-- PostgreSQL 17.
CREATE OR REPLACE FUNCTION parked_until() RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN timestamptz '2200-01-01 00:00:00Z';

-- Returns whether a job is parked. Due times may have been shifted after a step of the clock.
CREATE OR REPLACE FUNCTION is_parked(state text, run_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state = 'scheduled' AND run_at >= timestamptz '2199-01-01 00:00:00Z';

-- Returns whether an outside processor holds the document of a job. A job that waits for a retry has not started.
CREATE OR REPLACE FUNCTION is_held(state text, started_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state = 'scheduled' AND started_at IS NOT NULL;

-- Returns the reason that is shown for a parked document.
CREATE OR REPLACE FUNCTION explain_parking(original_path text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'Waits for an outside processor: '
    || coalesce('Docyard cannot fetch ' || left(original_path, 500), 'it was added without a file or a path') || '.';

-- Returns the text that was given with a parked document: its reason without that of parking.
CREATE OR REPLACE FUNCTION remove_parking(reason text, original_path text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(
    replace(replace(reason, ' | ' || explain_parking(original_path), ''), explain_parking(original_path), ''), '');

REVOKE EXECUTE ON FUNCTION is_fetchable(text, text), parked_until(), is_parked(text, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION is_held(text, timestamptz), explain_parking(text), remove_parking(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_fetchable(text, text), parked_until(), is_parked(text, timestamptz) TO docyard_web;
GRANT EXECUTE ON FUNCTION is_held(text, timestamptz), explain_parking(text), remove_parking(text, text) TO docyard_web;
