-- Activates the lanes of a pool whose workspace was paused or had reached its cap and has room again; returns their
-- number. The caller holds the pool's advisory lock, and its settings for the planner apply here.

CREATE OR REPLACE FUNCTION release_held_lanes(of_pool text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz := clock_timestamp();
    released integer;
BEGIN
    UPDATE lanes l SET active = true, held = false
    WHERE l.pool = of_pool AND l.held AND coalesce(workspace_room(of_pool, l.workspace_id), 1) > 0;
    GET DIAGNOSTICS released = ROW_COUNT;
    -- The virtual times of these lanes may be lower than any other.
    UPDATE pool_tiers SET lowest_vtime = '-infinity' WHERE pool = of_pool AND released > 0;
    UPDATE pools SET held_checked_at = clock_timestamp(), held_check_cost = clock_timestamp() - started
    WHERE pool = of_pool;
    RETURN released;
END $$;

REVOKE EXECUTE ON FUNCTION release_held_lanes(text) FROM PUBLIC;
