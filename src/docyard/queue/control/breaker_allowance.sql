-- The circuit breaker of a pool. Consumes the marks that settlements inserted, moves the breaker between closed, open
-- and half-open, and returns how many jobs may start: none while open, one at a time as a probe while half-open, NULL
-- (no limit) while closed. The caller holds the pool's advisory lock.

CREATE OR REPLACE FUNCTION breaker_allowance(of_pool text) RETURNS bigint LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
    b pool_breakers;
    marks record;
    previous pool_breakers;
    now_at timestamptz := clock_timestamp();
BEGIN
    WITH taken AS (DELETE FROM breaker_marks m WHERE m.pool = of_pool RETURNING *)
    SELECT coalesce(sum(t.good), 0) AS good, coalesce(sum(t.bad), 0) AS bad, max(t.category) AS category,
        max(t.message) AS message, max(t.started_at) FILTER (WHERE t.good > 0) AS good_from,
        max(t.started_at) FILTER (WHERE t.bad > 0) AS bad_from
    INTO marks FROM taken t;
    SELECT * INTO b FROM pool_breakers p WHERE p.pool = of_pool;
    IF b.pool IS NULL AND marks.bad > 0 THEN
        INSERT INTO pool_breakers (pool) VALUES (of_pool) RETURNING * INTO b;
    ELSIF b.pool IS NULL THEN
        RETURN NULL;
    END IF;
    previous := b;
    IF marks.bad > 0 THEN
        b.category := marks.category;
        b.message := marks.message;
    END IF;
    IF b.state = 'closed' THEN
        -- Failures are counted in a window that starts with the first one and lasts one minute.
        IF b.failures = 0 OR b.window_began < now_at - interval '60 seconds' THEN
            b.failures := 0;
            b.successes := 0;
            b.window_began := CASE WHEN marks.bad > 0 THEN now_at ELSE b.window_began END;
        END IF;
        b.failures := b.failures + marks.bad;
        b.successes := CASE WHEN b.failures > 0 THEN b.successes + marks.good ELSE 0 END;
    END IF;
    IF b.state = 'half_open' AND marks.bad_from >= b.changed_at
        OR b.state = 'closed' AND b.failures >= 5 AND b.failures >= b.successes THEN
        b.state := 'open';
        -- Looking for the file store costs nothing, so its jobs start soon after it is back.
        b.open_until := now_at + CASE b.category WHEN 'storage' THEN interval '3 seconds'
            ELSE interval '30 seconds' * 2 ^ least(b.trips, 5) END;
        b.trips := b.trips + 1;
    ELSIF b.state = 'half_open' AND marks.good_from >= b.changed_at THEN
        b.state := 'closed';
        b.trips := 0;
        b.failures := 0;
        b.successes := 0;
    ELSIF b.state = 'open' AND b.open_until <= now_at THEN
        b.state := 'half_open';
        b.open_until := NULL;
    END IF;
    IF b.state <> previous.state THEN
        b.changed_at := now_at;
    END IF;
    IF b IS DISTINCT FROM previous THEN
        UPDATE pool_breakers p SET state = b.state, failures = b.failures, successes = b.successes,
            window_began = b.window_began, trips = b.trips, category = b.category, message = b.message,
            changed_at = b.changed_at, open_until = b.open_until
        WHERE p.pool = of_pool;
    END IF;
    RETURN CASE b.state WHEN 'open' THEN 0
        -- If the worker of a probe is lost, the probe is no longer running, and the next claim may start another one.
        WHEN 'half_open' THEN greatest(0, 1 - (
            SELECT count(*) FROM jobs j
            WHERE j.state = 'running' AND j.pool = of_pool AND j.started_at >= b.changed_at)) END;
END $$;

REVOKE EXECUTE ON FUNCTION breaker_allowance(text) FROM PUBLIC;
