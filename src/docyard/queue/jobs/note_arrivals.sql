-- The triggers that record in arrivals which lanes have jobs that became pending, and the position of the first one.
-- A row belongs to one transaction, so no transaction waits for another, and none is visible before its jobs are.

CREATE OR REPLACE FUNCTION note_arrivals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.arrivals AS a (pool, tier, workspace_id, priority, arrived_at)
    SELECT n.pool, n.tier, n.workspace_id, min(n.priority), min(n.arrived_at) FROM added n
    WHERE n.state = 'pending' GROUP BY n.pool, n.tier, n.workspace_id
    ON CONFLICT (pool, xid, tier, workspace_id) DO UPDATE SET
        priority = least(a.priority, excluded.priority), arrived_at = least(a.arrived_at, excluded.arrived_at)
    WHERE excluded.priority < a.priority OR excluded.arrived_at < a.arrived_at;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_arrival() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.arrivals AS a (pool, tier, workspace_id, priority, arrived_at)
    VALUES (NEW.pool, NEW.tier, NEW.workspace_id, NEW.priority, NEW.arrived_at)
    ON CONFLICT (pool, xid, tier, workspace_id) DO UPDATE SET
        priority = least(a.priority, excluded.priority), arrived_at = least(a.arrived_at, excluded.arrived_at)
    WHERE excluded.priority < a.priority OR excluded.arrived_at < a.arrived_at;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER jobs_note_arrivals AFTER INSERT ON jobs
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_arrivals();
-- A trigger for each row, because it costs nothing for rows that the condition excludes, such as those of a claim.
CREATE OR REPLACE TRIGGER jobs_note_arrival AFTER UPDATE ON jobs FOR EACH ROW
    WHEN (NEW.state = 'pending' AND (OLD.state <> 'pending'
        OR (NEW.pool, NEW.tier, NEW.workspace_id, NEW.priority, NEW.arrived_at)
            IS DISTINCT FROM (OLD.pool, OLD.tier, OLD.workspace_id, OLD.priority, OLD.arrived_at)))
    EXECUTE FUNCTION note_arrival();

REVOKE EXECUTE ON FUNCTION note_arrivals(), note_arrival() FROM PUBLIC;
