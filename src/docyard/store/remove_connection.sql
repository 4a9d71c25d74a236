-- Removes an LLM connection of the transaction's workspace. Waiting jobs move to the pool of the entry stage and continue
-- without it; returns whether the connection existed.

CREATE OR REPLACE FUNCTION remove_connection(of_id uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM public.connections WHERE id = of_id AND workspace_id = public.current_workspace();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE public.jobs SET pool = public.entry_stage() WHERE pool = 'llm:' || of_id AND state <> 'running';
    UPDATE public.dead_letters SET pool = public.entry_stage() WHERE pool = 'llm:' || of_id;
    PERFORM pg_notify('docyard_jobs', public.entry_stage());
    -- A pool that still has a running job is removed when another connection is removed.
    DELETE FROM public.pools p WHERE p.pool ~ '^llm:[0-9a-f-]{36}$'
        AND NOT EXISTS (SELECT FROM public.connections c WHERE p.pool = 'llm:' || c.id)
        AND NOT EXISTS (SELECT FROM public.jobs j WHERE j.pool = p.pool);
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION remove_connection(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_connection(uuid) TO docyard_web;
