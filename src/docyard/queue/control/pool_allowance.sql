-- Returns how many jobs of a pool may start now: the minimum of the requested number and what its pause, circuit
-- breaker, token bucket and running cap allow. The caller holds the pool's advisory lock.

CREATE OR REPLACE FUNCTION pool_allowance(of_pool text, asked integer) RETURNS integer LANGUAGE sql
SET enable_seqscan = off AS $$
    WITH refilled AS (
        UPDATE pools SET refilled_at = clock_timestamp(), tokens = least(burst,
            -- The clock may have been set back: time never takes tokens away.
            tokens + rate_per_second * greatest(0, extract(epoch FROM clock_timestamp() - refilled_at)::float8))
        WHERE pool = of_pool AND rate_per_second IS NOT NULL RETURNING tokens)
    SELECT CASE WHEN p.paused THEN 0 ELSE greatest(0, least(
        asked,
        breaker_allowance(of_pool),
        (SELECT floor(r.tokens)::integer FROM refilled r),
        p.max_running - CASE WHEN p.max_running IS NOT NULL THEN
            (SELECT count(*)::integer FROM jobs j WHERE j.state = 'running' AND j.pool = of_pool) END)) END
    FROM pools p WHERE p.pool = of_pool
$$;

REVOKE EXECUTE ON FUNCTION pool_allowance(text, integer) FROM PUBLIC;
