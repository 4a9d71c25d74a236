-- Search: full-text operators are not leakproof, so under row security their index would go unused.
-- This function runs as the owner and filters by the same setting the policies read.

CREATE FUNCTION search_query(words text) RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(
        -- Each language's stems, or the plain words: a hit in any of them counts.
        (SELECT string_agg('(' || q::text || ')', ' | ')::tsquery
         FROM (SELECT DISTINCT websearch_to_tsquery(config, words) AS q
               FROM unnest('{simple,english,german,french,spanish,italian,dutch,portuguese}'::regconfig[]) AS config) qs
         -- A query of excluded words alone would match nearly everything.
         WHERE numnode(q) > 0 AND querytree(q) <> 'T'),
        ''::tsquery)
);

-- What to mark in a passage of this language: fewer forms than are searched for, because marking costs more.
CREATE FUNCTION marking_query(config regconfig, words text) RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE
RETURN websearch_to_tsquery(config, words) || websearch_to_tsquery('simple', words);

CREATE FUNCTION search_chunks(words text, most integer, skipped integer)
RETURNS TABLE (document_id uuid, document_name text, title text, page integer, start_offset integer,
               end_offset integer, snippet text, score real, total bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH query AS MATERIALIZED (SELECT public.search_query(words) AS q),
    matching AS (
        SELECT c.id, c.document_id, ts_rank(c.terms, query.q, 1) AS score
        FROM query, public.chunks c
        WHERE c.workspace_id = public.current_workspace() AND c.terms @@ query.q),
    best AS (
        SELECT DISTINCT ON (m.document_id) m.id, m.document_id, m.score
        FROM matching m JOIN public.documents d ON d.id = m.document_id AND d.deleted_at IS NULL
        ORDER BY m.document_id, m.score DESC, m.id),
    top AS (
        SELECT b.*, count(*) OVER () AS total FROM best b
        ORDER BY b.score DESC, b.document_id LIMIT most OFFSET skipped)
    SELECT d.id, d.name, d.title, c.page, c.start_offset, c.end_offset,
        -- Private-use marks, because the text may hold anything else; the caller escapes and replaces them.
        ts_headline(c.config, translate(c.text, U&'\E000\E001', ''), public.marking_query(c.config, words),
                    U&'StartSel=\E000,StopSel=\E001,MaxWords=45,MinWords=20,MaxFragments=2'),
        top.score, top.total
    FROM top JOIN public.chunks c ON c.id = top.id JOIN public.documents d ON d.id = top.document_id
    ORDER BY top.score DESC, d.id
$$;
