-- Activates the lanes of a pool in which jobs have become pending since the last call, and moves their first positions
-- back to these jobs. Reads only the arrivals of transactions that have ended since then. The caller holds the pool's
-- advisory lock, and its settings for the planner apply here.

CREATE OR REPLACE FUNCTION read_arrivals(of_pool text) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    before record;
    seen record;
BEGIN
    SELECT r.ctid, r.read_to, r.unfinished INTO before FROM arrival_reads r
    WHERE r.pool = of_pool ORDER BY r.read_to DESC LIMIT 1;
    IF NOT FOUND THEN
        INSERT INTO arrival_reads AS r (pool, read_to, unfinished) VALUES (of_pool, '0', '{}')
        RETURNING r.ctid, r.read_to, r.unfinished INTO before;
    ELSIF before.read_to > pg_snapshot_xmax(pg_current_snapshot()) THEN
        -- The database was restored to a server with lower transaction ids.
        before.read_to := '0';
        UPDATE arrival_reads SET read_to = '0', unfinished = '{}' WHERE ctid = before.ctid RETURNING ctid INTO before.ctid;
    END IF;
    -- One statement, because the snapshot that is recorded must be the one that the arrivals were read with.
    WITH ended AS MATERIALIZED (
        SELECT u.xid FROM unnest(before.unfinished) AS u (xid)
        WHERE pg_visible_in_snapshot(u.xid, pg_current_snapshot())
        UNION SELECT pg_current_xact_id_if_assigned()),
    later AS (
        DELETE FROM arrivals a WHERE a.pool = of_pool AND a.xid >= before.read_to
        RETURNING a.tier, a.workspace_id, a.priority, a.arrived_at),
    delayed AS (
        DELETE FROM arrivals a USING ended e WHERE a.pool = of_pool AND a.xid = e.xid AND a.xid < before.read_to
        RETURNING a.tier, a.workspace_id, a.priority, a.arrived_at),
    arrived AS MATERIALIZED (
        SELECT n.tier, n.workspace_id, min(n.priority) AS priority, min(n.arrived_at) AS arrived_at,
            l.ctid AS lane, l.active, l.held, (min(n.priority), min(n.arrived_at)) <= (l.first_priority, l.first_arrived_at)
                AS is_earlier
        FROM (SELECT * FROM later UNION ALL SELECT * FROM delayed) n
        LEFT JOIN LATERAL (
            SELECT k.ctid, k.active, k.held, k.first_priority, k.first_arrived_at FROM lanes k
            WHERE k.pool = of_pool AND k.tier = n.tier AND k.workspace_id = n.workspace_id
            ORDER BY k.vtime DESC LIMIT 1) l ON true
        GROUP BY n.tier, n.workspace_id, l.ctid, l.active, l.held, l.first_priority, l.first_arrived_at),
    clocks AS MATERIALIZED (
        SELECT t.tier, t.vclock, t.lowest_vtime, t.row_of_tier
        FROM (SELECT DISTINCT a.tier FROM arrived a) d CROSS JOIN LATERAL (
            SELECT k.tier, k.vclock, k.lowest_vtime, k.ctid AS row_of_tier FROM pool_tiers k
            WHERE k.pool = of_pool AND k.tier = d.tier ORDER BY k.vtime DESC LIMIT 1) t),
    activated AS (
        UPDATE lanes l SET active = NOT l.held, vtime = greatest(l.vtime, t.vclock),
            first_priority = CASE WHEN a.is_earlier THEN a.priority ELSE l.first_priority END,
            first_arrived_at = CASE WHEN a.is_earlier THEN a.arrived_at ELSE l.first_arrived_at END,
            first_id = CASE WHEN a.is_earlier THEN '00000000-0000-0000-0000-000000000000' ELSE l.first_id END
        FROM arrived a JOIN clocks t ON t.tier = a.tier
        WHERE l.ctid = a.lane AND (a.is_earlier OR NOT a.active AND NOT a.held)),
    added AS (
        INSERT INTO lanes (pool, tier, workspace_id, vtime, first_priority, first_arrived_at)
        SELECT of_pool, a.tier, a.workspace_id, t.vclock, a.priority, a.arrived_at
        FROM arrived a JOIN clocks t ON t.tier = a.tier
        WHERE a.lane IS NULL),
    lowered AS (
        -- An activated lane starts no earlier than the virtual clock of its tier.
        UPDATE pool_tiers t SET lowest_vtime = c.vclock FROM clocks c
        WHERE t.ctid = c.row_of_tier AND c.lowest_vtime > c.vclock)
    SELECT count(*) AS lanes, pg_snapshot_xmax(pg_current_snapshot()) AS read_to,
        -- This transaction may add more jobs after the claim.
        ARRAY(SELECT pg_snapshot_xip(pg_current_snapshot()) UNION SELECT pg_current_xact_id()) AS unfinished
    INTO seen FROM arrived;
    IF seen.lanes > 0 THEN
        UPDATE arrival_reads SET read_to = seen.read_to, unfinished = seen.unfinished WHERE ctid = before.ctid;
    END IF;
END $$;

REVOKE EXECUTE ON FUNCTION read_arrivals(text) FROM PUBLIC;
