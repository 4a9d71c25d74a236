-- The fair claim: start-time fair queueing over tiers by weight and over workspaces equally, in one round trip.
-- Leases at most `most` jobs of the pool to the worker. It may lease fewer even if more are pending; if it leases
-- none, no job can be claimed now. Decisions 2 and 12 explain lanes, virtual time and first positions.

CREATE OR REPLACE FUNCTION claim_jobs(of_pool text, by_worker uuid, most integer) RETURNS SETOF leased_job LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    leased_count integer;
    held_checked boolean := false;
    any_leased boolean := false;
    has_limits boolean;
    scan_limit bigint;  -- bounds how many lanes of each tier are read, and how many jobs are picked
BEGIN
    IF most < 1 THEN
        RETURN;
    END IF;
    -- With SKIP LOCKED alone, two concurrent claims could spend the same share.
    PERFORM pg_advisory_xact_lock(1685285993, hashtext(of_pool));
    has_limits := EXISTS (SELECT FROM workspace_limits);
    -- A worker whose lease has expired, for example because it was suspended, must not claim.
    PERFORM FROM workers w
    WHERE w.id = by_worker AND w.state = 'alive'
        AND last_heartbeat(w) > clock_timestamp() - make_interval(secs => w.lease_seconds);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    most := pool_allowance(of_pool, most);
    scan_limit := most;
    IF coalesce(most, 0) < 1 THEN
        RETURN;
    END IF;
    INSERT INTO pool_tiers (pool, tier)
    SELECT of_pool, t.tier FROM tiers t
    WHERE NOT EXISTS (SELECT FROM pool_tiers pt WHERE pt.pool = of_pool AND pt.tier = t.tier)
        AND EXISTS (SELECT FROM pools p WHERE p.pool = of_pool);
    PERFORM read_arrivals(of_pool);
    -- Sweeps take at most 5 % of the time. A time in the future, after a step of the clock, does not count.
    PERFORM FROM pools p WHERE p.pool = of_pool AND p.swept_at NOT BETWEEN
        clock_timestamp() - greatest(p.sweep_cost * 20, interval '30 seconds') AND clock_timestamp();
    IF FOUND THEN
        PERFORM sweep_lanes(of_pool);
    END IF;
    PERFORM FROM pools p WHERE p.pool = of_pool AND EXISTS (SELECT FROM lanes l WHERE l.pool = of_pool AND l.held)
        AND p.held_checked_at NOT BETWEEN clock_timestamp() - p.held_check_cost * 20 AND clock_timestamp();
    IF FOUND THEN
        PERFORM release_held_lanes(of_pool);
        held_checked := true;
    END IF;
    LOOP
        RETURN QUERY
        WITH newest_tiers AS MATERIALIZED (
            SELECT pt.* FROM tiers t CROSS JOIN LATERAL (
                SELECT k.*, k.ctid AS row_of_tier FROM pool_tiers k
                WHERE k.pool = of_pool AND k.tier = t.tier ORDER BY k.vtime DESC LIMIT 1) pt),
        active_tiers AS MATERIALIZED (
            SELECT pt.tier, t.weight, t.weight / sum(t.weight) OVER ()::float8 AS share, pt.vclock,
                greatest(pt.vtime, (SELECT max(n.pool_vclock) FROM newest_tiers n)) AS tier_start, pt.lowest_vtime,
                pt.row_of_tier
            FROM newest_tiers pt
            JOIN tiers t ON t.tier = pt.tier AND NOT t.paused
            -- LATERAL with LIMIT instead of EXISTS: without statistics on lanes, EXISTS may be planned as a full scan.
            CROSS JOIN LATERAL (
                SELECT FROM lanes k
                WHERE k.pool = of_pool AND k.tier = pt.tier AND k.active AND k.vtime >= pt.lowest_vtime
                ORDER BY k.vtime, k.workspace_id LIMIT 1) one),
        candidates AS MATERIALIZED (
            SELECT s.tier, s.weight, s.tier_start, s.row_of_tier, l.*,
                CASE WHEN has_limits THEN workspace_room(of_pool, l.workspace_id) END AS room,
                -- Jobs to read: 1.5 times the lane's share. Reading a whole batch from every lane would cost too much.
                greatest(2, ceil(1.5 * scan_limit * s.share / count(*) OVER same_tier)::bigint) AS depth,
                -- Lanes that were not read start no earlier than the last lane that was read.
                CASE WHEN count(*) OVER same_tier > scan_limit THEN max(l.lane_start) OVER same_tier END AS unread_from
            FROM active_tiers s
            CROSS JOIN LATERAL (
                SELECT k.workspace_id, greatest(k.vtime, s.vclock) AS lane_start, k.vtime, k.ctid AS row_of_lane,
                    k.first_priority, k.first_arrived_at, k.first_id
                FROM lanes k
                WHERE k.pool = of_pool AND k.tier = s.tier AND k.active AND k.vtime >= s.lowest_vtime
                ORDER BY k.vtime, k.workspace_id LIMIT scan_limit + 1) l
            WINDOW same_tier AS (PARTITION BY s.tier)),
        heads AS MATERIALIZED (
            SELECT c.*, h.*, c.lane_start + (h.place - 1) AS job_start
            FROM candidates c LEFT JOIN LATERAL (
                SELECT q.*, row_number() OVER (ORDER BY q.priority, q.arrived_at, q.id) AS place FROM (
                    SELECT j.id, j.priority, j.arrived_at FROM jobs j
                    WHERE j.state = 'pending' AND j.pool = of_pool AND j.tier = c.tier
                        AND j.workspace_id = c.workspace_id
                        AND (j.priority, j.arrived_at, j.id) >= (c.first_priority, c.first_arrived_at, c.first_id)
                    -- Not limited by the room, because other transactions may have locked the first jobs.
                    ORDER BY j.priority, j.arrived_at, j.id LIMIT CASE WHEN c.room = 0 THEN 0 ELSE c.depth END) q
                ) h ON true),
        emptied AS (
            UPDATE lanes l SET active = false, held = h.room IS NOT DISTINCT FROM 0,
                first_priority = CASE WHEN h.room = 0 THEN l.first_priority ELSE 32767 END,
                first_arrived_at = CASE WHEN h.room = 0 THEN l.first_arrived_at ELSE 'infinity' END
            FROM heads h WHERE h.id IS NULL AND l.ctid = h.row_of_lane),
        tagged AS MATERIALIZED (
            SELECT r.*, r.tier_start + r.rank / r.weight::float8 AS start_tag FROM (
                SELECT h.*,
                    row_number() OVER (PARTITION BY h.tier ORDER BY h.job_start, h.workspace_id, h.id) - 1 AS rank,
                    -- The order within the tier is known only up to this start; jobs that were not read may start after it.
                    least(h.unread_from,
                          min(h.job_start) FILTER (WHERE h.place = h.depth) OVER (PARTITION BY h.tier)) AS known_to
                FROM heads h) r),
        horizon AS MATERIALIZED (
            -- A tier that was not read to its end limits the others: serving them past this tag would take its share.
            SELECT min(u.start_tag) AS start_tag FROM (
                SELECT min(t.tier_start) + count(*) FILTER (WHERE t.job_start <= t.known_to)
                    / min(t.weight)::float8 AS start_tag
                FROM tagged t WHERE t.known_to IS NOT NULL GROUP BY t.tier) u),
        picked AS MATERIALIZED (
            SELECT t.* FROM tagged t CROSS JOIN horizon z
            WHERE t.id IS NOT NULL AND t.job_start <= coalesce(t.known_to, 'infinity')
                AND t.start_tag < coalesce(z.start_tag, 'infinity')
            -- Ten more than needed, because other transactions may have locked some of them.
            ORDER BY t.start_tag, t.weight DESC, t.id LIMIT scan_limit + 10),
        locked AS MATERIALIZED (
            -- IS TRUE prevents use of the pending index, which would be scanned as a whole.
            SELECT p.* FROM picked p JOIN jobs j ON j.id = p.id WHERE (j.state = 'pending') IS TRUE
            ORDER BY p.start_tag, p.weight DESC, p.id LIMIT most FOR UPDATE OF j SKIP LOCKED),
        allowed AS MATERIALIZED (
            SELECT k.* FROM (
                -- The running cap of a workspace applies across its tiers.
                SELECT l.*, row_number() OVER (PARTITION BY l.workspace_id ORDER BY l.start_tag, l.id) AS turn
                FROM locked l) k
            WHERE k.room IS NULL OR k.turn <= k.room),
        claimed AS (
            UPDATE jobs j SET state = 'running', attempts = j.attempts + 1, fence = j.fence + 1,
                worker_id = by_worker, run_at = NULL, started_at = clock_timestamp(),
                deadline_at = clock_timestamp() + (
                    SELECT make_interval(secs => p.deadline_seconds) FROM pools p WHERE p.pool = of_pool)
            FROM allowed k WHERE j.id = k.id
            RETURNING j.id, j.fence, j.workspace_id, j.pool, j.type, j.stage, j.document_id, j.tier, j.priority,
                j.payload, j.attempts, j.max_attempts, j.arrived_at, j.children, j.children_failed, j.created_at,
                k.start_tag, k.job_start, k.lane_start, k.weight),
        tallied AS (
            INSERT INTO tallies (pool, tier, event, jobs, fresh, wait_seconds, late)
            SELECT of_pool, w.tier, 'claimed', count(*), count(w.waited), coalesce(sum(w.waited), 0),
                count(*) FILTER (WHERE w.waited > t.objective_seconds)
            FROM (
                -- Only the first claim of a job, which sets its fence to 1, counts as a wait.
                SELECT c.tier, CASE WHEN c.fence = 1 THEN greatest(0, extract(
                    epoch FROM clock_timestamp() - greatest(c.arrived_at, c.created_at)))::float8 END AS waited
                FROM claimed c) w
            JOIN tiers t ON t.tier = w.tier GROUP BY w.tier),
        advanced_lanes AS (
            -- The first position of the lane is that of the first job that remains, or of the last one that was claimed.
            -- A lane that was read to its end and has no job left becomes inactive.
            UPDATE lanes l SET vtime = s.lane_start + s.jobs, active = NOT s.is_empty,
                first_priority = CASE WHEN s.is_empty THEN 32767 ELSE s.priority END,
                first_arrived_at = CASE WHEN s.is_empty THEN 'infinity' ELSE s.arrived_at END, first_id = s.id
            FROM (SELECT DISTINCT ON (h.row_of_lane) h.*, h.taken AND count(*) OVER same_lane < h.depth AS is_empty,
                      count(*) FILTER (WHERE h.taken) OVER same_lane AS jobs
                  FROM (SELECT q.*, q.id IN (SELECT c.id FROM claimed c) AS taken FROM heads q WHERE q.id IS NOT NULL) h
                  WINDOW same_lane AS (PARTITION BY h.row_of_lane)
                  ORDER BY h.row_of_lane, h.taken, CASE WHEN h.taken THEN -h.place ELSE h.place END) s
            WHERE s.jobs > 0 AND l.ctid = s.row_of_lane),
        -- The next start in each tier. A lane that becomes active again starts there, without credit for its idle time.
        progress AS MATERIALIZED (
            SELECT t.tier, t.row_of_tier, min(t.vtime) AS lowest_vtime, max(s.jobs) AS jobs, max(s.last_start) AS last_start,
                min(t.tier_start) + coalesce(max(s.jobs), 0) / min(t.weight)::float8 AS vtime,
                least(min(t.job_start) FILTER (WHERE t.rank >= coalesce(s.jobs, 0)), min(t.known_to)) AS next_start
            FROM tagged t LEFT JOIN (
                SELECT tier, count(*) AS jobs, max(job_start) AS last_start FROM claimed GROUP BY tier
            ) s ON s.tier = t.tier
            GROUP BY t.tier, t.row_of_tier),
        advanced_tiers AS (
            UPDATE pool_tiers pt SET vtime = s.vtime, lowest_vtime = s.lowest_vtime,
                vclock = greatest(pt.vclock, coalesce(s.next_start, s.last_start + 1)),
                pool_vclock = greatest(pt.pool_vclock, p.vclock)
            FROM progress s CROSS JOIN (
                SELECT coalesce(min(vtime) FILTER (WHERE next_start IS NOT NULL), max(vtime)) AS vclock FROM progress) p
            WHERE pt.ctid = s.row_of_tier AND s.jobs > 0)
        SELECT c.id, c.fence, c.workspace_id, c.type, c.stage, c.document_id, c.tier, c.priority,
            -- A client that reads no more, because it was suspended, must not keep the lock of the pool: the answer must
            -- fit into the buffers of the connection.
            CASE WHEN pg_column_size(c.payload) <= 256 AND octet_length(c.payload::text) <= 256 THEN c.payload END,
            c.attempts, c.max_attempts, c.arrived_at, c.children, c.children_failed
        FROM claimed c ORDER BY c.start_tag, c.weight DESC, c.id;
        GET DIAGNOSTICS leased_count = ROW_COUNT;
        IF leased_count > 0 THEN
            UPDATE pools SET tokens = tokens - leased_count WHERE pool = of_pool AND rate_per_second IS NOT NULL;
            any_leased := true;
            most := most - leased_count;
            -- Jobs that were not read may remain. Another round costs less than another claim.
            EXIT WHEN most < 1;
            scan_limit := most;
            CONTINUE;
        END IF;
        EXIT WHEN any_leased;
        -- All lanes that were read are empty, or their jobs are locked by other transactions, so more lanes are read.
        PERFORM FROM tiers t CROSS JOIN LATERAL (
            SELECT k.lowest_vtime FROM pool_tiers k
            WHERE k.pool = of_pool AND k.tier = t.tier ORDER BY k.vtime DESC LIMIT 1) pt
        CROSS JOIN LATERAL (
            SELECT FROM lanes l WHERE l.pool = of_pool AND l.tier = t.tier AND l.active AND l.vtime >= pt.lowest_vtime
            ORDER BY l.vtime, l.workspace_id LIMIT 1) one
        WHERE NOT t.paused;
        IF FOUND AND scan_limit < 1000000 THEN
            scan_limit := scan_limit * 16;
            CONTINUE;
        END IF;
        EXIT WHEN held_checked OR NOT EXISTS (SELECT FROM lanes l WHERE l.pool = of_pool AND l.held);
        held_checked := true;
        EXIT WHEN release_held_lanes(of_pool) = 0;
        scan_limit := most;
    END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION claim_jobs(text, uuid, integer) FROM PUBLIC;
