-- Counts the documents that have a tag, up to a limit.

CREATE OR REPLACE FUNCTION count_tagged(of_key text, up_to bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
    SELECT count(*) FROM (
        SELECT FROM public.documents d
        WHERE public.scoped_tags(d.workspace_id, d.tags, d.found_tags)
                @> ARRAY[left(public.current_workspace()::text, 8) || of_key]
            AND d.workspace_id = public.current_workspace() AND d.deleted_at IS NULL LIMIT up_to) d
$$;

REVOKE EXECUTE ON FUNCTION count_tagged(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_tagged(text, bigint) TO docyard_web;
