-- Returns how many jobs of a workspace may start now in a pool; NULL means no limit.
-- The caller holds the pool's advisory lock.

CREATE OR REPLACE FUNCTION workspace_room(of_pool text, of_workspace uuid) RETURNS bigint LANGUAGE sql STABLE
SET enable_seqscan = off AS $$
    SELECT CASE WHEN w.paused THEN 0 ELSE greatest(0, w.max_running - (
        SELECT count(*) FROM jobs j
        WHERE j.state = 'running' AND j.pool = of_pool AND j.workspace_id = of_workspace)) END
    FROM workspace_limits w WHERE w.workspace_id = of_workspace
$$;

REVOKE EXECUTE ON FUNCTION workspace_room(text, uuid) FROM PUBLIC;
