-- Returns the most distinctive words of a document, by their frequency in it and their rarity in the workspace.

CREATE OR REPLACE FUNCTION telling_words(of_document uuid, most integer)
RETURNS TABLE (config regconfig, lexeme text, chunks bigint, chunks_3 bigint, chunks_9 bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT w.config, w.lexeme, l.chunks, l.chunks_3, l.chunks_9
    FROM (
        SELECT c.config, u.lexeme, count(*) AS own, sum(cardinality(u.positions)) AS times
        FROM (SELECT * FROM public.chunks c
              WHERE c.document_id = of_document AND c.workspace_id = public.current_workspace()
              ORDER BY c.ordinal LIMIT 50) c
        CROSS JOIN LATERAL unnest(c.terms) AS u
        WHERE char_length(u.lexeme) BETWEEN 3 AND 40 AND u.lexeme !~ '^[0-9.,/-]+$' GROUP BY c.config, u.lexeme) w
    -- Words that occur only in this document do not lead to other documents.
    JOIN public.lexemes l ON l.workspace_id = public.current_workspace() AND l.lexeme = w.lexeme AND l.chunks > w.own
    ORDER BY w.times / (w.times + 1.2) * ln(1 + (
        SELECT sum(t.chunks) FROM public.text_totals t WHERE t.workspace_id = public.current_workspace())
        / l.chunks) DESC, w.lexeme
    LIMIT most
$$;

REVOKE EXECUTE ON FUNCTION telling_words(uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION telling_words(uuid, integer) TO docyard_web;
