-- Returns entities that match all word prefixes, or all entities if `words` is NULL, sorted by key. A merged entity is
-- replaced by the entity into which it was merged.
-- Text search is not leakproof, so the function runs as the owner, to use the index, and filters by workspace.

CREATE OR REPLACE FUNCTION find_entities(words text[], only_kinds text[], after_key text, after_id uuid, most integer)
RETURNS SETOF entities
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
    (SELECT e.* FROM public.entities e
    WHERE words IS NULL AND e.workspace_id = public.current_workspace() AND e.merged_into IS NULL
        AND (only_kinds IS NULL OR e.kind = ANY (only_kinds))
        AND (after_key IS NULL OR (e.key COLLATE "C", e.id) > (after_key COLLATE "C", after_id))
    ORDER BY e.key COLLATE "C", e.id LIMIT most)
    UNION ALL
    (SELECT r.* FROM public.entities r
    WHERE words IS NOT NULL AND r.id IN (
        SELECT coalesce(f.merged_into, f.id)
        -- OFFSET 0 makes the planner use the word index first, even if the table was never analysed.
        FROM (
            SELECT f.id, f.merged_into, f.workspace_id, f.kind FROM public.entities f
            WHERE public.scoped_terms(f.workspace_id, to_tsvector('simple'::regconfig, f.key)) @@ (
                SELECT string_agg(
                    quote_literal(left(public.current_workspace()::text, 8) || '1' || w.word) || ':*', ' & ')
                FROM unnest(words) AS w (word))::tsquery OFFSET 0) f
        WHERE f.workspace_id = public.current_workspace() AND (only_kinds IS NULL OR f.kind = ANY (only_kinds)))
        AND (after_key IS NULL OR (r.key COLLATE "C", r.id) > (after_key COLLATE "C", after_id))
    ORDER BY r.key COLLATE "C", r.id LIMIT most)
$$;

REVOKE EXECUTE ON FUNCTION find_entities(text[], text[], text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_entities(text[], text[], text, uuid, integer) TO docyard_web;
