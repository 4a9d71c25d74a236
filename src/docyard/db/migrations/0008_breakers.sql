-- What holds failing work back: a circuit breaker per pool, a retry budget per workspace.

-- Only the claim writes it, under the pool's lock; settlements leave marks and so wait for nobody. Only pools that had
-- trouble have a row.
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

-- What a settlement has to say about a pool that had trouble: how much of it showed that the pool works, or does not.
CREATE TABLE breaker_marks (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    good integer NOT NULL,
    bad integer NOT NULL,
    -- When the latest of the jobs had started: what started before a probe says nothing about it.
    started_at timestamptz NOT NULL,
    category text,
    message text,
    CONSTRAINT breaker_marks_one_kind CHECK ((good > 0) <> (bad > 0))
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX breaker_marks_by_pool ON breaker_marks (pool);
ALTER TABLE breaker_marks ENABLE ROW LEVEL SECURITY;

-- How many jobs the breaker lets start: none while open, one at a time as a probe after that, NULL for any number.
CREATE FUNCTION breaker_allowance(of_pool text) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
    b pool_breakers;
    seen record;
    was pool_breakers;
    now_at timestamptz := clock_timestamp();
BEGIN
    WITH taken AS (DELETE FROM breaker_marks m WHERE m.pool = of_pool RETURNING *)
    SELECT coalesce(sum(t.good), 0) AS good, coalesce(sum(t.bad), 0) AS bad, max(t.category) AS category,
        max(t.message) AS message, max(t.started_at) FILTER (WHERE t.good > 0) AS good_from,
        max(t.started_at) FILTER (WHERE t.bad > 0) AS bad_from
    INTO seen FROM taken t;
    SELECT * INTO b FROM pool_breakers p WHERE p.pool = of_pool;
    IF b.pool IS NULL AND seen.bad > 0 THEN
        INSERT INTO pool_breakers (pool) VALUES (of_pool) RETURNING * INTO b;
    ELSIF b.pool IS NULL THEN
        RETURN NULL;
    END IF;
    was := b;
    IF seen.bad > 0 THEN
        b.category := seen.category;
        b.message := seen.message;
    END IF;
    IF b.state = 'closed' THEN
        -- The window begins with its first failure and lasts a minute.
        IF b.failures = 0 OR b.window_began < now_at - interval '60 seconds' THEN
            b.failures := 0;
            b.successes := 0;
            b.window_began := CASE WHEN seen.bad > 0 THEN now_at ELSE b.window_began END;
        END IF;
        b.failures := b.failures + seen.bad;
        b.successes := CASE WHEN b.failures > 0 THEN b.successes + seen.good ELSE 0 END;
    END IF;
    IF b.state = 'half_open' AND seen.bad_from >= b.changed_at
        OR b.state = 'closed' AND b.failures >= 5 AND b.failures >= b.successes THEN
        b.state := 'open';
        b.open_until := now_at + interval '30 seconds' * 2 ^ least(b.trips, 5);
        b.trips := b.trips + 1;
    ELSIF b.state = 'half_open' AND seen.good_from >= b.changed_at THEN
        b.state := 'closed';
        b.trips := 0;
        b.failures := 0;
        b.successes := 0;
    ELSIF b.state = 'open' AND b.open_until <= now_at THEN
        b.state := 'half_open';
        b.open_until := NULL;
    END IF;
    IF b.state <> was.state THEN
        b.changed_at := now_at;
    END IF;
    IF b IS DISTINCT FROM was THEN
        UPDATE pool_breakers p SET state = b.state, failures = b.failures, successes = b.successes,
            window_began = b.window_began, trips = b.trips, category = b.category, message = b.message,
            changed_at = b.changed_at, open_until = b.open_until
        WHERE p.pool = of_pool;
    END IF;
    RETURN CASE b.state WHEN 'open' THEN 0
        -- A probe that is lost with its worker is no longer running, so the next claim sends another.
        WHEN 'half_open' THEN greatest(0, 1 - (
            SELECT count(*) FROM jobs j
            WHERE j.state = 'running' AND j.pool = of_pool AND j.started_at >= b.changed_at)) END;
END $$;

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
