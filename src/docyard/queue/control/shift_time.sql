-- Shifts a time by a step of the database's clock, unless it lies in the period since the step: then the new clock gave it.
-- `since` and `until` are seconds since 1970; `since` may be -Infinity.

CREATE OR REPLACE FUNCTION shift_time(at timestamptz, seconds float8, since float8, until float8)
RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN at BETWEEN to_timestamp(since) AND to_timestamp(until) THEN at
        ELSE at + make_interval(secs => seconds) END
$$;

REVOKE EXECUTE ON FUNCTION shift_time(timestamptz, float8, float8, float8) FROM PUBLIC;
