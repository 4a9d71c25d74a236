-- Returns the position of each word in this list that occurs in the workspace, and the number of passages that have it. All
-- words are stemmed in one call; the positions in the tsvector map the lexemes back to the words.

CREATE OR REPLACE FUNCTION known_words(words text[]) RETURNS TABLE (word integer, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.place::integer, l.chunks
    FROM public.text_totals t CROSS JOIN LATERAL unnest(to_tsvector(t.config, array_to_string(words, ' '))) AS u
    JOIN public.lexemes l ON l.workspace_id = t.workspace_id AND l.lexeme = u.lexeme AND l.chunks > 0
    CROSS JOIN LATERAL unnest(u.positions) AS p (place)
    WHERE t.workspace_id = public.current_workspace() AND t.chunks > 0
$$;

REVOKE EXECUTE ON FUNCTION known_words(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION known_words(text[]) TO docyard_web;
