-- Activates the lanes of a pool that have pending jobs, and returns how many were inactive or new.
-- A loose scan of the pending index finds them with one probe per lane. The claim calls it at intervals, and when all
-- active lanes are empty. The caller holds the pool's advisory lock.

CREATE OR REPLACE FUNCTION sweep_lanes(of_pool text) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    started timestamptz := clock_timestamp();
    activated integer;
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
    GET DIAGNOSTICS activated = ROW_COUNT;
    UPDATE pools SET swept_at = clock_timestamp(), sweep_cost = clock_timestamp() - started WHERE pool = of_pool;
    RETURN activated;
END $$;

REVOKE EXECUTE ON FUNCTION sweep_lanes(text) FROM PUBLIC;
