-- What holds failing work back: a circuit breaker per pool, a retry budget per workspace.

-- Kept apart from pools, so that a settlement never waits for a claim. Only pools that had trouble have a row.
CREATE TABLE pool_breakers (
    pool text COLLATE "C" PRIMARY KEY REFERENCES pools ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'closed',
    -- What was seen in the window that began with its first failure.
    failures integer NOT NULL DEFAULT 0,
    successes integer NOT NULL DEFAULT 0,
    window_began timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- How often it opened without a success between; each time the pause is doubled.
    trips integer NOT NULL DEFAULT 0,
    category text,
    message text,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    open_until timestamptz,
    CONSTRAINT pool_breakers_state_known CHECK (state IN ('closed', 'open', 'half_open')),
    -- An open breaker says until when, or it would never close.
    CONSTRAINT pool_breakers_open_until CHECK ((state = 'open') = (open_until IS NOT NULL))
) WITH (fillfactor = 50);

-- How many jobs the breaker lets start: none while open, one at a time as a probe after that, NULL for any number.
CREATE FUNCTION breaker_allowance(of_pool text) RETURNS bigint LANGUAGE sql SET enable_seqscan = off AS $$
    WITH probing AS (
        UPDATE pool_breakers SET state = 'half_open', open_until = NULL, changed_at = clock_timestamp()
        WHERE pool = of_pool AND state = 'open' AND open_until <= clock_timestamp() RETURNING pool)
    SELECT CASE
        WHEN EXISTS (SELECT FROM probing) THEN 1
        WHEN b.state = 'open' THEN 0
        -- A probe that is lost with its worker is no longer running, so the next claim sends another.
        WHEN b.state = 'half_open' THEN greatest(0, 1 - (
            SELECT count(*) FROM jobs j
            WHERE j.state = 'running' AND j.pool = of_pool AND j.started_at >= b.changed_at)) END
    FROM pool_breakers b WHERE b.pool = of_pool
$$;

CREATE OR REPLACE FUNCTION pool_allowance(of_pool text, asked integer) RETURNS integer LANGUAGE sql
SET enable_seqscan = off AS $$
    WITH refilled AS (
        UPDATE pools SET refilled_at = clock_timestamp(), tokens = least(burst,
            tokens + rate_per_second * extract(epoch FROM clock_timestamp() - refilled_at)::float8)
        WHERE pool = of_pool AND rate_per_second IS NOT NULL RETURNING tokens)
    SELECT CASE WHEN p.paused THEN 0 ELSE greatest(0, least(
        asked,
        breaker_allowance(of_pool),
        (SELECT floor(r.tokens)::integer FROM refilled r),
        p.max_running - CASE WHEN p.max_running IS NOT NULL THEN
            (SELECT count(*)::integer FROM jobs j WHERE j.state = 'running' AND j.pool = of_pool) END)) END
    FROM pools p WHERE p.pool = of_pool
$$;

-- How many retries a workspace is granted in each period; a retry beyond it waits for the next period with room.
CREATE TABLE retry_budgets (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    most integer NOT NULL DEFAULT 1000,
    period interval NOT NULL DEFAULT '1 hour',
    -- The last period in which a retry was granted; it lies ahead when the ones before it are used up.
    period_began timestamptz NOT NULL DEFAULT '-infinity',
    spent integer NOT NULL DEFAULT 0,
    CONSTRAINT retry_budgets_positive CHECK (most > 0 AND period > interval '0'),
    -- Never over by one.
    CONSTRAINT retry_budgets_kept CHECK (spent BETWEEN 0 AND most)
) WITH (fillfactor = 50);
ALTER TABLE retry_budgets ENABLE ROW LEVEL SECURITY;
ALTER TABLE pool_breakers ENABLE ROW LEVEL SECURITY;

REVOKE EXECUTE ON FUNCTION breaker_allowance(text) FROM PUBLIC;
