-- Returns the documents that have a tag, using the tag index; NULL if more than `up_to` have it, because scanning the
-- newest documents is then cheaper. Array operators are not leakproof, so the planner would not use the index under row-level
-- security: the function runs as the owner and filters by workspace.

CREATE OR REPLACE FUNCTION tagged_documents(of_key text, up_to integer) RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
    SELECT CASE WHEN count(*) <= up_to THEN coalesce(array_agg(f.id), '{}') END FROM (
        -- OFFSET 0 makes the planner use the tag index first, even if the table was never analysed.
        SELECT t.id FROM (
            SELECT d.id, d.workspace_id, d.deleted_at FROM public.documents d
            WHERE public.scoped_tags(d.workspace_id, d.tags, d.found_tags)
                @> ARRAY[left(public.current_workspace()::text, 8) || of_key] OFFSET 0) t
        WHERE t.workspace_id = public.current_workspace() AND t.deleted_at IS NULL
        LIMIT up_to + 1) f
$$;

REVOKE EXECUTE ON FUNCTION tagged_documents(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tagged_documents(text, integer) TO docyard_web;
