-- Statuses and failure histories of jobs in the terms of the SQL interface.
-- requires: parking.sql

-- Returns the status of a live job. A job scheduled for a retry is shown as failed; a parked or snoozed job as pending.
CREATE OR REPLACE FUNCTION job_word(state text, attempts integer, failures jsonb, run_at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN state IN ('running', 'waiting') THEN 'processing'
    WHEN state = 'scheduled' AND NOT is_parked(state, run_at) AND failures -> -1 -> 'attempt' = to_jsonb(attempts)
        THEN 'failed'
    ELSE 'pending' END;

-- Returns the status without the phase of OCR; a status that has none is returned as it is.
CREATE OR REPLACE FUNCTION plain_word(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE word WHEN 'pre_ocr_pending' THEN 'pending' WHEN 'pre_ocr_processing' THEN 'processing'
    WHEN 'ocr_failed' THEN 'failed' ELSE word END;

-- Returns a failure history with the keys of the SQL interface.
CREATE OR REPLACE FUNCTION failures_in_words(failures jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
        'failed_at', f.it -> 'at', 'error', f.it -> 'message', 'processor', f.it -> 'worker',
        'retry_count', f.it -> 'attempt', 'category', f.it -> 'category', 'stage', f.it -> 'stage'
        ) ORDER BY f.place), '[]')
    FROM jsonb_array_elements(CASE jsonb_typeof(failures) WHEN 'array' THEN failures ELSE '[]' END)
        WITH ORDINALITY AS f (it, place));

REVOKE EXECUTE ON FUNCTION job_word(text, integer, jsonb, timestamptz), plain_word(text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION failures_in_words(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION job_word(text, integer, jsonb, timestamptz), plain_word(text) TO docyard_web;
GRANT EXECUTE ON FUNCTION failures_in_words(jsonb) TO docyard_web;
