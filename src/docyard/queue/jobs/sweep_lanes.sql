-- Activates the lanes of a pool that have pending jobs, and returns how many were inactive or new. A loose scan of the
-- pending index finds them with one probe per lane. The claim calls it at long intervals, in case arrivals do not tell,
-- as after the database was restored to another server. The caller holds the pool's advisory lock.

CREATE OR REPLACE FUNCTION sweep_lanes(of_pool text) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    started timestamptz := clock_timestamp();
    activated integer;
BEGIN
    WITH RECURSIVE found(tier, workspace_id, priority, arrived_at, id) AS (
        (SELECT j.tier, j.workspace_id, j.priority, j.arrived_at, j.id FROM jobs j
         WHERE j.state = 'pending' AND j.pool = of_pool
         ORDER BY j.tier, j.workspace_id, j.priority, j.arrived_at, j.id LIMIT 1)
        UNION ALL
        SELECT later.* FROM found f CROSS JOIN LATERAL (
            SELECT j.tier, j.workspace_id, j.priority, j.arrived_at, j.id FROM jobs j
            WHERE j.state = 'pending' AND j.pool = of_pool AND (j.tier, j.workspace_id) > (f.tier, f.workspace_id)
            ORDER BY j.tier, j.workspace_id, j.priority, j.arrived_at, j.id LIMIT 1) later),
    wrong AS MATERIALIZED (
        SELECT f.*, l.row_of_lane FROM found f LEFT JOIN LATERAL (
            SELECT k.ctid AS row_of_lane, (k.active OR k.held)
                AND (k.first_priority, k.first_arrived_at, k.first_id) <= (f.priority, f.arrived_at, f.id) AS is_right
            FROM lanes k WHERE k.pool = of_pool AND k.tier = f.tier AND k.workspace_id = f.workspace_id
            ORDER BY k.vtime DESC LIMIT 1) l ON true
        WHERE l.is_right IS NOT TRUE),
    corrected AS (
        UPDATE lanes l SET active = NOT l.held, first_priority = w.priority, first_arrived_at = w.arrived_at,
            first_id = w.id
        FROM wrong w WHERE l.ctid = w.row_of_lane),
    added AS (
        INSERT INTO lanes (pool, tier, workspace_id, first_priority, first_arrived_at, first_id)
        SELECT of_pool, w.tier, w.workspace_id, w.priority, w.arrived_at, w.id FROM wrong w WHERE w.row_of_lane IS NULL)
    SELECT count(*) INTO activated FROM wrong;
    -- The virtual times of these lanes may be lower than any other.
    UPDATE pool_tiers SET lowest_vtime = '-infinity' WHERE pool = of_pool AND activated > 0;
    UPDATE pools SET swept_at = clock_timestamp(), sweep_cost = clock_timestamp() - started WHERE pool = of_pool;
    RETURN activated;
END $$;

REVOKE EXECUTE ON FUNCTION sweep_lanes(text) FROM PUBLIC;
