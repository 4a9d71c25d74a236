-- Returns the number of passages and characters of the workspace, which determine the weights of words.

CREATE OR REPLACE FUNCTION text_size() RETURNS TABLE (chunks bigint, characters bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(sum(t.chunks), 0)::bigint, coalesce(sum(t.characters), 0)::bigint
    FROM public.text_totals t WHERE t.workspace_id = public.current_workspace()
$$;

REVOKE EXECUTE ON FUNCTION text_size() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION text_size() TO docyard_web;
