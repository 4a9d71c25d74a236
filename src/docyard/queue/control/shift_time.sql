-- Shifts a time by a step of the database's clock, unless it lies in the period since the step: then the new clock gave it.
-- `since` and `until` are seconds since 1970; `since` may be -Infinity. If `until` is NULL, the period ends now. The clock
-- is read after the row was locked, because another transaction may have given the time a moment ago.

CREATE OR REPLACE FUNCTION shift_time(at timestamptz, seconds float8, since float8, until float8)
RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT CASE WHEN at BETWEEN to_timestamp(since) AND coalesce(to_timestamp(until), clock_timestamp()) THEN at
        ELSE at + make_interval(secs => seconds) END
$$;

REVOKE EXECUTE ON FUNCTION shift_time(timestamptz, float8, float8, float8) FROM PUBLIC;
