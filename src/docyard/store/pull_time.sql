-- Moves a time out of the future by a step back of the database's clock, which is negative, but not beyond now.

CREATE OR REPLACE FUNCTION pull_time(at timestamptz, seconds float8) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN at > now() THEN least(at + make_interval(secs => seconds), now()) ELSE at END
$$;

REVOKE EXECUTE ON FUNCTION pull_time(timestamptz, float8) FROM PUBLIC;
