-- Returns the lexemes of each query word in each language of the workspace, with the number of passages that have them.
-- Full-text operators are not leakproof, so the planner would not use their index under row-level security. The functions
-- of this folder therefore run as the owner, and filter by the setting that the policies use.

CREATE OR REPLACE FUNCTION query_lexemes(words text[], prefixes text[])
RETURNS TABLE (word integer, config regconfig, lexeme text, prefix boolean, chunks bigint, chunks_3 bigint,
               chunks_9 bigint, telling boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH configs AS (
        SELECT t.config FROM public.text_totals t
        WHERE t.workspace_id = public.current_workspace() AND t.chunks > 0
        UNION SELECT c.config FROM public.text_changes c WHERE c.workspace_id = public.current_workspace()
        UNION SELECT 'simple'::regconfig),
    -- Stop words of each language: they affect the ranking of passages, but no passage is found by a stop word alone.
    little AS (
        SELECT w.n::integer AS word, c.config FROM unnest(words) WITH ORDINALITY AS w (word, n) CROSS JOIN configs c
        WHERE c.config <> 'simple'::regconfig
            AND to_tsvector(regexp_replace(c.config::text, '^.*every_', '')::regconfig, w.word) = ''),
    forms AS (
        SELECT w.n::integer AS word, c.config, u.lexeme, false AS prefix
        FROM unnest(words) WITH ORDINALITY AS w (word, n) CROSS JOIN configs c
        CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector(c.config, w.word))) AS u (lexeme)
        UNION ALL
        SELECT (cardinality(words) + p.n)::integer, c.config, lower(p.prefix), true
        FROM unnest(prefixes) WITH ORDINALITY AS p (prefix, n) CROSS JOIN configs c)
    SELECT f.word, f.config, f.lexeme, f.prefix, coalesce(l.chunks, 0), coalesce(l.chunks_3, 0), coalesce(l.chunks_9, 0),
        NOT EXISTS (SELECT FROM little k WHERE k.word = f.word AND (k.config = f.config OR f.config = 'simple'::regconfig))
    FROM forms f LEFT JOIN LATERAL (
        SELECT k.chunks, k.chunks_3, k.chunks_9 FROM public.lexemes k
        WHERE NOT f.prefix AND k.workspace_id = public.current_workspace() AND k.lexeme = f.lexeme
        UNION ALL
        SELECT sum(k.chunks)::bigint, sum(k.chunks_3)::bigint, sum(k.chunks_9)::bigint FROM (
            SELECT * FROM public.lexemes k
            WHERE k.workspace_id = public.current_workspace() AND k.lexeme >= f.lexeme COLLATE "C"
                AND k.lexeme < (f.lexeme || U&'\+10FFFF') COLLATE "C"
            LIMIT 1000) k
        HAVING f.prefix) l ON true
    ORDER BY f.word, f.config::oid, f.lexeme
$$;

REVOKE EXECUTE ON FUNCTION query_lexemes(text[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION query_lexemes(text[], text[]) TO docyard_web;
