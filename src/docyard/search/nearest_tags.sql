-- Returns the tags whose vectors of this model are nearest to a vector, nearest first.

CREATE OR REPLACE FUNCTION nearest_tags(of_model smallint, wanted text, most integer, exact_up_to bigint)
RETURNS TABLE (name text, key text, distance float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    size integer := (SELECT m.dims FROM public.embedding_models m WHERE m.id = of_model);
    me uuid := public.current_workspace();
    small boolean := (SELECT count(*) <= exact_up_to FROM (
        SELECT FROM public.tags t WHERE t.workspace_id = me LIMIT exact_up_to + 1) t);
BEGIN
    IF size IS NULL OR me IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true);
    RETURN QUERY EXECUTE format(
        CASE WHEN small THEN
            'WITH mine AS MATERIALIZED (
                 SELECT e.tag_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.tag_embeddings e WHERE e.workspace_id = $2 AND e.model = %2$s)'
        ELSE
            'WITH mine AS MATERIALIZED (
                 SELECT e.tag_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.tag_embeddings e WHERE e.model = %2$s AND e.workspace_id = $2
                 ORDER BY e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) LIMIT $3)' END
        || ' SELECT t.name, t.key, m.distance FROM mine m JOIN public.tags t ON t.id = m.tag_id
             ORDER BY m.distance, t.key LIMIT $3', size, of_model)
    USING wanted, me, most;
END $$;

REVOKE EXECUTE ON FUNCTION nearest_tags(smallint, text, integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION nearest_tags(smallint, text, integer, bigint) TO docyard_web;
