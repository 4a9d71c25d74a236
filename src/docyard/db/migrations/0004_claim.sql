-- The fair claim: start-time fair queueing over tiers by weight and workspaces equally, in one round trip.

-- Finds the lanes that hold pending jobs by jumping along the pending index, one probe per lane.
CREATE FUNCTION sweep_lanes(of_pool text) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    began timestamptz := clock_timestamp();
    woken integer;
BEGIN
    WITH RECURSIVE found(tier, workspace_id) AS (
        (SELECT j.tier, j.workspace_id FROM jobs j WHERE j.state = 'pending' AND j.pool = of_pool
         ORDER BY j.tier, j.workspace_id LIMIT 1)
        UNION ALL
        SELECT later.tier, later.workspace_id FROM found f CROSS JOIN LATERAL (
            SELECT j.tier, j.workspace_id FROM jobs j
            WHERE j.state = 'pending' AND j.pool = of_pool AND (j.tier, j.workspace_id) > (f.tier, f.workspace_id)
            ORDER BY j.tier, j.workspace_id LIMIT 1) later)
    INSERT INTO lanes AS l (pool, tier, workspace_id)
    SELECT of_pool, f.tier, f.workspace_id FROM found f
    WHERE NOT EXISTS (
        SELECT FROM lanes k
        WHERE k.pool = of_pool AND k.tier = f.tier AND k.workspace_id = f.workspace_id AND k.active)
    ON CONFLICT (pool, tier, workspace_id) DO UPDATE SET active = true;
    GET DIAGNOSTICS woken = ROW_COUNT;
    UPDATE pools SET swept_at = clock_timestamp(), sweep_cost = clock_timestamp() - began WHERE pool = of_pool;
    RETURN woken;
END $$;

CREATE TYPE leased_job AS (
    id uuid, fence bigint, workspace_id uuid, pool text, type text, stage text, document_id uuid,
    tier smallint, priority integer, payload jsonb, attempts integer, max_attempts integer, arrived_at timestamptz
);

-- Gives at most `most` jobs of the pool to the worker. Fewer than asked does not mean empty; none does.
CREATE FUNCTION claim_jobs(of_pool text, by_worker uuid, most integer) RETURNS SETOF leased_job LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    given integer;
    left_now bigint;
    left_before bigint;
    swept boolean := false;
BEGIN
    IF most < 1 THEN
        RETURN;
    END IF;
    -- SKIP LOCKED alone would let two claimers spend the same share.
    PERFORM pg_advisory_xact_lock(1685285993, hashtext(of_pool));
    -- A worker that was stopped past its lease must not claim before it has noticed.
    PERFORM FROM workers w
    WHERE w.id = by_worker AND w.state = 'alive'
        AND w.heartbeat_at > clock_timestamp() - make_interval(secs => w.lease_seconds);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO pool_tiers (pool, tier)
    SELECT of_pool, t.tier FROM tiers t
    WHERE NOT EXISTS (SELECT FROM pool_tiers pt WHERE pt.pool = of_pool AND pt.tier = t.tier);
    -- A sweep costs a probe per lane; spending one part in twenty on it bounds how long a new lane waits.
    PERFORM FROM pools p WHERE p.pool = of_pool AND clock_timestamp() - p.swept_at > p.sweep_cost * 20;
    IF FOUND THEN
        PERFORM sweep_lanes(of_pool);
        swept := true;
    END IF;
    LOOP
        RETURN QUERY
        WITH candidates AS MATERIALIZED (
            SELECT pt.tier, t.weight, greatest(pt.vtime, p.vclock) AS tier_start, l.workspace_id, l.lane_start,
                -- Reading every lane to the depth of the batch would cost lanes times batch.
                greatest(2, ceil(2.0 * most / count(*) OVER (PARTITION BY pt.tier))::integer) AS depth
            FROM pools p
            JOIN pool_tiers pt ON pt.pool = p.pool
            JOIN tiers t ON t.tier = pt.tier
            CROSS JOIN LATERAL (
                SELECT k.workspace_id, greatest(k.vtime, pt.vclock) AS lane_start FROM lanes k
                WHERE k.pool = of_pool AND k.tier = pt.tier AND k.active
                ORDER BY k.vtime, k.workspace_id LIMIT most) l
            WHERE p.pool = of_pool),
        heads AS MATERIALIZED (
            SELECT c.tier, c.weight, c.tier_start, c.workspace_id, c.lane_start, h.id,
                c.lane_start + (h.place - 1) AS job_start
            FROM candidates c CROSS JOIN LATERAL (
                SELECT q.id, row_number() OVER (ORDER BY q.priority, q.arrived_at, q.id) AS place FROM (
                    SELECT j.id, j.priority, j.arrived_at FROM jobs j
                    WHERE j.state = 'pending' AND j.pool = of_pool AND j.tier = c.tier
                        AND j.workspace_id = c.workspace_id
                    ORDER BY j.priority, j.arrived_at, j.id LIMIT c.depth) q) h),
        emptied AS (
            UPDATE lanes l SET active = false
            FROM candidates c
            WHERE l.pool = of_pool AND l.tier = c.tier AND l.workspace_id = c.workspace_id
                AND NOT EXISTS (SELECT FROM heads h WHERE h.tier = c.tier AND h.workspace_id = c.workspace_id)
            RETURNING 1),
        picked AS MATERIALIZED (
            SELECT s.* FROM (
                SELECT h.*, h.tier_start + (row_number() OVER (
                    PARTITION BY h.tier ORDER BY h.job_start, h.workspace_id, h.id) - 1) / h.weight::float8 AS start_tag
                FROM heads h) s
            ORDER BY s.start_tag, s.weight DESC, s.id LIMIT most),
        locked AS MATERIALIZED (
            SELECT j.id FROM jobs j
            WHERE j.id = ANY (ARRAY(SELECT p.id FROM picked p)) AND j.state = 'pending'
            FOR UPDATE OF j SKIP LOCKED),
        claimed AS (
            UPDATE jobs j SET state = 'running', attempts = j.attempts + 1, fence = j.fence + 1,
                worker_id = by_worker, run_at = NULL, started_at = clock_timestamp(),
                deadline_at = clock_timestamp() + (
                    SELECT make_interval(secs => p.deadline_seconds) FROM pools p WHERE p.pool = of_pool)
            WHERE j.id = ANY (ARRAY(SELECT k.id FROM locked k))
            RETURNING j.id, j.fence, j.workspace_id, j.pool, j.type, j.stage, j.document_id, j.tier, j.priority,
                j.payload, j.attempts, j.max_attempts, j.arrived_at),
        served AS MATERIALIZED (SELECT p.* FROM claimed c JOIN picked p ON p.id = c.id),
        advanced_lanes AS (
            UPDATE lanes l SET vtime = s.lane_start + s.jobs
            FROM (SELECT tier, workspace_id, min(lane_start) AS lane_start, count(*) AS jobs
                  FROM served GROUP BY tier, workspace_id) s
            WHERE l.pool = of_pool AND l.tier = s.tier AND l.workspace_id = s.workspace_id),
        advanced_tiers AS (
            UPDATE pool_tiers pt SET vtime = s.tier_start + s.jobs / s.weight::float8,
                vclock = greatest(pt.vclock, s.first_start)
            FROM (SELECT tier, min(tier_start) AS tier_start, min(weight) AS weight, count(*) AS jobs,
                    min(job_start) AS first_start
                  FROM served GROUP BY tier) s
            WHERE pt.pool = of_pool AND pt.tier = s.tier),
        advanced_pool AS (
            UPDATE pools p SET vclock = greatest(p.vclock, s.first_tag)
            FROM (SELECT min(start_tag) AS first_tag FROM served) s
            WHERE p.pool = of_pool AND s.first_tag IS NOT NULL)
        SELECT c.id, c.fence, c.workspace_id, c.pool::text, c.type, c.stage, c.document_id, c.tier, c.priority,
            c.payload, c.attempts, c.max_attempts, c.arrived_at
        FROM claimed c JOIN picked p ON p.id = c.id ORDER BY p.start_tag, p.weight DESC, p.id;
        GET DIAGNOSTICS given = ROW_COUNT;
        EXIT WHEN given > 0;
        -- Every lane looked at may have been empty while others wait behind them: each round retires some.
        SELECT count(*) INTO left_now FROM lanes l WHERE l.pool = of_pool AND l.active;
        IF left_now > 0 AND left_now < coalesce(left_before, left_now + 1) THEN
            left_before := left_now;
            CONTINUE;
        END IF;
        EXIT WHEN swept;
        swept := true;
        EXIT WHEN sweep_lanes(of_pool) = 0;
        left_before := NULL;
    END LOOP;
END $$;
