-- The fair claim: start-time fair queueing over tiers by weight and over workspaces equally, in one round trip.
-- Gives at most `most` jobs of the pool to the worker. Fewer than asked does not mean that the pool is empty; none does.
-- Everything happens under the pool's advisory lock: SKIP LOCKED alone would let two claimers spend the same share.
-- Decision 2 explains lanes and virtual time.

CREATE OR REPLACE FUNCTION claim_jobs(of_pool text, by_worker uuid, most integer) RETURNS SETOF leased_job LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    given integer;
    swept boolean := false;
    gave boolean := false;
    held_back boolean := EXISTS (SELECT FROM workspace_limits);
    reach bigint;
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
    most := pool_allowance(of_pool, most);
    reach := most;
    IF coalesce(most, 0) < 1 THEN
        RETURN;
    END IF;
    INSERT INTO pool_tiers (pool, tier)
    SELECT of_pool, t.tier FROM tiers t
    WHERE NOT EXISTS (SELECT FROM pool_tiers pt WHERE pt.pool = of_pool AND pt.tier = t.tier)
        AND EXISTS (SELECT FROM pools p WHERE p.pool = of_pool);
    -- A sweep costs a probe per lane; spending one part in twenty on it bounds how long a new lane waits.
    PERFORM FROM pools p WHERE p.pool = of_pool AND p.swept_at < clock_timestamp() - p.sweep_cost * 20;
    IF FOUND THEN
        PERFORM sweep_lanes(of_pool);
        swept := true;
    END IF;
    LOOP
        RETURN QUERY
        WITH standing_tiers AS MATERIALIZED (
            SELECT pt.tier, t.weight, t.weight / sum(t.weight) OVER ()::float8 AS share, pt.vclock,
                greatest(pt.vtime, p.vclock) AS tier_start
            FROM pools p
            JOIN pool_tiers pt ON pt.pool = p.pool
            JOIN tiers t ON t.tier = pt.tier AND NOT t.paused
            -- Not EXISTS: a planner that knows nothing of the lanes would read them all.
            CROSS JOIN LATERAL (
                SELECT FROM lanes k WHERE k.pool = of_pool AND k.tier = pt.tier AND k.active
                ORDER BY k.vtime, k.workspace_id LIMIT 1) one
            WHERE p.pool = of_pool),
        candidates AS MATERIALIZED (
            SELECT s.tier, s.weight, s.tier_start, l.workspace_id, l.lane_start,
                CASE WHEN held_back THEN workspace_room(of_pool, l.workspace_id) END AS room,
                -- Half as much again as its share: reading every lane to the depth of the batch would cost lanes
                -- times batch.
                greatest(2, ceil(1.5 * reach * s.share / count(*) OVER same_tier)::bigint) AS depth,
                -- Lanes that were not looked at start no earlier than the last one that was.
                CASE WHEN count(*) OVER same_tier > reach THEN max(l.lane_start) OVER same_tier END AS unseen_from
            FROM standing_tiers s
            CROSS JOIN LATERAL (
                SELECT k.workspace_id, greatest(k.vtime, s.vclock) AS lane_start FROM lanes k
                WHERE k.pool = of_pool AND k.tier = s.tier AND k.active
                ORDER BY k.vtime, k.workspace_id LIMIT reach + 1) l
            WINDOW same_tier AS (PARTITION BY s.tier)),
        heads AS MATERIALIZED (
            SELECT c.*, h.id, h.place, c.lane_start + (h.place - 1) AS job_start
            FROM candidates c LEFT JOIN LATERAL (
                SELECT q.id, row_number() OVER (ORDER BY q.priority, q.arrived_at, q.id) AS place FROM (
                    SELECT j.id, j.priority, j.arrived_at FROM jobs j
                    WHERE j.state = 'pending' AND j.pool = of_pool AND j.tier = c.tier
                        AND j.workspace_id = c.workspace_id
                    ORDER BY j.priority, j.arrived_at, j.id LIMIT least(c.depth, c.room)) q) h ON true),
        emptied AS (
            UPDATE lanes l SET active = false FROM heads h
            WHERE h.id IS NULL AND l.pool = of_pool AND l.tier = h.tier AND l.workspace_id = h.workspace_id),
        tagged AS MATERIALIZED (
            SELECT r.*, r.tier_start + r.rank / r.weight::float8 AS start_tag FROM (
                SELECT h.*,
                    row_number() OVER (PARTITION BY h.tier ORDER BY h.job_start, h.workspace_id, h.id) - 1 AS rank,
                    -- Up to here the order inside the tier is known; behind it may come what was not read.
                    least(h.unseen_from,
                          min(h.job_start) FILTER (WHERE h.place = h.depth) OVER (PARTITION BY h.tier)) AS known_to
                FROM heads h) r),
        horizon AS MATERIALIZED (
            -- A tier that was not read to its end keeps its turn: serving others past it would take its share.
            SELECT min(u.start_tag) AS start_tag FROM (
                SELECT min(t.tier_start) + count(*) FILTER (WHERE t.job_start <= t.known_to)
                    / min(t.weight)::float8 AS start_tag
                FROM tagged t WHERE t.known_to IS NOT NULL GROUP BY t.tier) u),
        picked AS MATERIALIZED (
            SELECT t.* FROM (
                -- The cap of a workspace holds across its tiers.
                SELECT g.*, row_number() OVER (PARTITION BY g.workspace_id ORDER BY g.start_tag, g.id) AS turn
                FROM tagged g) t
            CROSS JOIN horizon z
            WHERE (t.room IS NULL OR t.turn <= t.room) AND t.job_start <= coalesce(t.known_to, 'infinity')
                AND t.start_tag < coalesce(z.start_tag, 'infinity')
            -- A few to spare, in case another transaction holds the first.
            ORDER BY t.start_tag, t.weight DESC, t.id LIMIT reach + 10),
        locked AS MATERIALIZED (
            SELECT p.* FROM picked p JOIN jobs j ON j.id = p.id WHERE j.state = 'pending'
            ORDER BY p.start_tag, p.weight DESC, p.id LIMIT most FOR UPDATE OF j SKIP LOCKED),
        claimed AS (
            UPDATE jobs j SET state = 'running', attempts = j.attempts + 1, fence = j.fence + 1,
                worker_id = by_worker, run_at = NULL, started_at = clock_timestamp(),
                deadline_at = clock_timestamp() + (
                    SELECT make_interval(secs => p.deadline_seconds) FROM pools p WHERE p.pool = of_pool)
            FROM locked k WHERE j.id = k.id
            RETURNING j.id, j.fence, j.workspace_id, j.pool, j.type, j.stage, j.document_id, j.tier, j.priority,
                j.payload, j.attempts, j.max_attempts, j.arrived_at, j.children, j.children_failed, j.created_at,
                k.start_tag, k.job_start, k.lane_start, k.weight),
        tallied AS (
            INSERT INTO tallies (pool, tier, event, jobs, fresh, wait_seconds, late)
            SELECT of_pool, w.tier, 'claimed', count(*), count(w.waited), coalesce(sum(w.waited), 0),
                count(*) FILTER (WHERE w.waited > t.objective_seconds)
            FROM (
                -- A fence of one marks the first claim; what comes back has waited before.
                SELECT c.tier, CASE WHEN c.fence = 1 THEN greatest(0, extract(
                    epoch FROM clock_timestamp() - greatest(c.arrived_at, c.created_at)))::float8 END AS waited
                FROM claimed c) w
            JOIN tiers t ON t.tier = w.tier GROUP BY w.tier),
        advanced_lanes AS (
            UPDATE lanes l SET vtime = s.lane_start + s.jobs
            FROM (SELECT tier, workspace_id, min(lane_start) AS lane_start, count(*) AS jobs
                  FROM claimed GROUP BY tier, workspace_id) s
            WHERE l.pool = of_pool AND l.tier = s.tier AND l.workspace_id = s.workspace_id),
        -- What stands next in each tier now; whoever comes back after a pause starts there, with no credit.
        standing AS MATERIALIZED (
            SELECT t.tier, max(s.jobs) AS jobs, max(s.last_start) AS last_start,
                min(t.tier_start) + coalesce(max(s.jobs), 0) / min(t.weight)::float8 AS vtime,
                least(min(t.job_start) FILTER (WHERE t.rank >= coalesce(s.jobs, 0)), min(t.known_to)) AS next_start
            FROM tagged t LEFT JOIN (
                SELECT tier, count(*) AS jobs, max(job_start) AS last_start FROM claimed GROUP BY tier
            ) s ON s.tier = t.tier
            GROUP BY t.tier),
        advanced_tiers AS (
            UPDATE pool_tiers pt SET vtime = s.vtime,
                vclock = greatest(pt.vclock, coalesce(s.next_start, s.last_start + 1))
            FROM standing s WHERE pt.pool = of_pool AND pt.tier = s.tier AND s.jobs > 0),
        advanced_pool AS (
            UPDATE pools p SET vclock = greatest(p.vclock, s.vclock)
            FROM (SELECT coalesce(min(vtime) FILTER (WHERE next_start IS NOT NULL), max(vtime)) AS vclock
                  FROM standing HAVING sum(jobs) > 0) s
            WHERE p.pool = of_pool)
        SELECT c.id, c.fence, c.workspace_id, c.pool::text, c.type, c.stage, c.document_id, c.tier, c.priority,
            c.payload, c.attempts, c.max_attempts, c.arrived_at, c.children, c.children_failed
        FROM claimed c ORDER BY c.start_tag, c.weight DESC, c.id;
        GET DIAGNOSTICS given = ROW_COUNT;
        IF given > 0 THEN
            UPDATE pools SET tokens = tokens - given WHERE pool = of_pool AND rate_per_second IS NOT NULL;
            gave := true;
            most := most - given;
            -- What was not read of one tier may be what is left; a round more costs less than another claim.
            EXIT WHEN most < 1;
            reach := most;
            CONTINUE;
        END IF;
        EXIT WHEN gave;
        -- All that was looked at is drained, or held by others; what waits behind it needs a wider look.
        PERFORM FROM tiers t JOIN lanes l ON l.pool = of_pool AND l.tier = t.tier AND l.active
        WHERE NOT t.paused LIMIT 1;
        IF FOUND AND reach < 1000000 THEN
            reach := reach * 16;
            CONTINUE;
        END IF;
        EXIT WHEN swept;
        swept := true;
        EXIT WHEN sweep_lanes(of_pool) = 0;
        reach := most;
    END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION claim_jobs(text, uuid, integer) FROM PUBLIC;
