-- Adds an LLM connection with its pool to the transaction's workspace; returns NULL if the workspace already has 50.

CREATE OR REPLACE FUNCTION add_connection(
    named text, of_provider text, of_model text, at_url text, with_key bytea, by_user uuid, running integer,
    rate double precision
) RETURNS uuid
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH made AS (
        INSERT INTO public.connections (workspace_id, name, provider, model, base_url, sealed_key, created_by)
        SELECT public.current_workspace(), named, of_provider, of_model, at_url, with_key, by_user
        -- Every worker polls every pool, so the number of pools is limited.
        WHERE (SELECT count(*) FROM public.connections c WHERE c.workspace_id = public.current_workspace()) < 50
        RETURNING id),
    pool AS (
        INSERT INTO public.pools (pool, resource, max_running, rate_per_second, burst)
        SELECT 'llm:' || id, 'llm', running, rate, running FROM made)
    SELECT id FROM made
$$;

REVOKE EXECUTE ON FUNCTION add_connection(text, text, text, text, bytea, uuid, integer, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_connection(text, text, text, text, bytea, uuid, integer, double precision) TO docyard_web;
