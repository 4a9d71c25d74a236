-- A live job and its failures in the words of the SQL vocabulary.

-- A live job in the vocabulary's words. Waiting after a spent attempt is a failure; after a snooze it is not.
CREATE OR REPLACE FUNCTION job_word(state text, attempts integer, failures jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN state IN ('running', 'waiting') THEN 'processing'
    WHEN state = 'scheduled' AND failures -> -1 -> 'attempt' = to_jsonb(attempts) THEN 'failed'
    ELSE 'pending' END;

-- The history of failures under the vocabulary's names.
CREATE OR REPLACE FUNCTION failures_in_words(failures jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'failed_at', f.it -> 'at', 'error', f.it -> 'message', 'processor', f.it -> 'worker',
        'retry_count', f.it -> 'attempt', 'category', f.it -> 'category', 'stage', f.it -> 'stage'
        ) ORDER BY f.place), '[]')
    FROM jsonb_array_elements(CASE jsonb_typeof(failures) WHEN 'array' THEN failures ELSE '[]' END)
        WITH ORDINALITY AS f (it, place));

REVOKE EXECUTE ON FUNCTION job_word(text, integer, jsonb), failures_in_words(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION job_word(text, integer, jsonb), failures_in_words(jsonb) TO docyard_web;
