-- Returns the passages whose vectors of this model are nearest to a vector, nearest first. Uses dynamic SQL, because the
-- planner can use the partial index of a model only if the model and its number of dimensions are constants.

CREATE OR REPLACE FUNCTION nearest_chunks(
    of_model smallint, wanted text, most integer, exact_up_to bigint, besides uuid,
    only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS TABLE (document_id uuid, chunk_id bigint, distance float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    size integer := (SELECT m.dims FROM public.embedding_models m WHERE m.id = of_model);
    me uuid := public.current_workspace();
    small boolean := (SELECT coalesce(sum(t.chunks), 0) <= exact_up_to FROM public.text_totals t
                      WHERE t.workspace_id = me);
BEGIN
    IF size IS NULL OR me IS NULL THEN
        RETURN;
    END IF;
    -- The index contains all workspaces; continue the scan until enough passages of this one are found.
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true);
    RETURN QUERY EXECUTE format(
        CASE WHEN small THEN
            'WITH mine AS MATERIALIZED (
                 SELECT e.document_id, e.chunk_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.chunk_embeddings e WHERE e.workspace_id = $2 AND e.model = %2$s)
             SELECT m.document_id, m.chunk_id, m.distance
             FROM mine m JOIN public.documents d ON d.id = m.document_id
             WHERE m.document_id IS DISTINCT FROM $4 AND public.is_wanted(d, $5, $6, $7, $8, $9)
             ORDER BY m.distance, m.chunk_id LIMIT $3'
        ELSE
            'SELECT f.document_id, f.chunk_id, f.distance FROM (
                 SELECT e.document_id, e.chunk_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.chunk_embeddings e
                 WHERE e.model = %2$s AND e.workspace_id = $2 AND e.document_id IS DISTINCT FROM $4
                     AND EXISTS (SELECT FROM public.documents d
                                 WHERE d.id = e.document_id AND public.is_wanted(d, $5, $6, $7, $8, $9))
                 ORDER BY e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) LIMIT $3) f
             ORDER BY f.distance, f.chunk_id' END, size, of_model)
    USING wanted, me, most, besides, only_types, only_tags, only_languages, first_day, last_day;
END $$;

REVOKE EXECUTE ON FUNCTION nearest_chunks(smallint, text, integer, bigint, uuid, text[], text[], text[], date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION nearest_chunks(smallint, text, integer, bigint, uuid, text[], text[], text[], date, date) TO docyard_web;
