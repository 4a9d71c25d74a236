-- Applies BM25 to the passages and titles that the probes reach; returns the best passage of each document, best first.
-- A probe is a query over scoped words with the maximum number of passages to read from it.

CREATE OR REPLACE FUNCTION rank_chunks(
    probes text[], depths integer[], configs regconfig[], queries text[], prefixes boolean[], words integer[],
    telling boolean[], weights float8[], mean_length float8, required text, excluded text,
    only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS TABLE (document_id uuid, chunk_id bigint, score float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
-- With less memory the bitmap becomes lossy, and every passage on its pages has to be rechecked.
SET work_mem = '64MB' AS $$
    WITH me AS MATERIALIZED (
        SELECT public.current_workspace() AS id,
            num_nonnulls(only_types, only_tags, only_languages, first_day, last_day) = 0 AS takes_all),
    units AS MATERIALIZED (
        SELECT u.config, u.word, u.weight, u.prefix, u.query::tsquery AS query,
            -- If all words are stop words, they are treated as ordinary words.
            u.telling OR NOT bool_or(u.telling) OVER (PARTITION BY u.config) AS telling
        FROM unnest(configs, queries, prefixes, words, telling, weights)
            AS u (config, query, prefix, word, telling, weight)),
    wanted AS MATERIALIZED (
        SELECT u.config, CASE WHEN required <> '' THEN websearch_to_tsquery(u.config, required) END AS query
        FROM (SELECT DISTINCT config FROM units) u),
    everything AS (SELECT sum(best.weight) AS weight FROM (
        SELECT max(weight) AS weight FROM units GROUP BY word) best),
    passages AS MATERIALIZED (
        SELECT DISTINCT ON (found.id) found.*
        FROM me CROSS JOIN unnest(probes, depths) AS p (query, depth) CROSS JOIN LATERAL (
            SELECT c.id, c.document_id, c.config,
                -- The concatenation detoasts the value once, instead of once for each query below.
                c.terms || ''::tsvector AS terms,
                1.2 * (0.25 + 0.75 * c.length / mean_length) AS k
            -- OFFSET 0 makes the planner use the word index first, even if the table was never analysed.
            FROM (
                SELECT c.id, c.document_id, c.workspace_id, c.config, c.terms, c.end_offset - c.start_offset AS length
                FROM public.chunks c
                WHERE public.scoped_terms(c.workspace_id, c.terms) @@ p.query::tsquery OFFSET 0) c
            JOIN public.documents d ON d.id = c.document_id
            WHERE c.workspace_id = me.id
                -- A subquery, because with a join the planner would read every passage before it applies the limit.
                AND (required = '' OR c.terms @@ (SELECT w.query FROM wanted w WHERE w.config = c.config))
                AND d.deleted_at IS NULL
                AND (me.takes_all OR public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day))
            LIMIT p.depth) found
        ORDER BY found.id),
    scored AS (
        SELECT p.id, p.document_id, sum(h.weight * h.tf * 2.2 / (h.tf + p.k)) * (
            0.7 + 0.3 * least(1, sum(h.weight) / e.weight)) AS score
        FROM passages p CROSS JOIN everything e CROSS JOIN LATERAL (
            SELECT u.word, bool_or(u.telling) AS telling, max(u.weight) AS weight, max(CASE WHEN u.prefix THEN 1 ELSE
                -- ts_rank of one word with n positions is the sum of 1/k² for k = 1 to n, divided by π²/6; this inverts it.
                round(1 / (1.6449340668 * (1.0000001 - r.rank)) - 0.5) END) AS tf
            FROM units u CROSS JOIN LATERAL (SELECT ts_rank('{1,1,1,1}', p.terms, u.query)::float8 AS rank) r
            WHERE u.config = p.config AND r.rank > 1e-10 GROUP BY u.word) h
        GROUP BY p.id, p.document_id, e.weight HAVING bool_or(h.telling)),
    headed AS (
        SELECT d.id, (SELECT coalesce(sum(m.weight), 0) FROM (
            SELECT max(u.weight) AS weight FROM units u
            WHERE u.config = h.config AND u.telling AND h.terms @@ u.query GROUP BY u.word) m) AS score
        FROM (SELECT DISTINCT found.id FROM me CROSS JOIN unnest(probes) AS p (query) CROSS JOIN LATERAL (
            SELECT d.id FROM (
                SELECT d.id, d.workspace_id FROM public.documents d
                WHERE d.deleted_at IS NULL
                    AND public.scoped_terms(d.workspace_id, public.title_terms(d.name, d.title, d.language))
                        @@ p.query::tsquery OFFSET 0) f JOIN public.documents d ON d.id = f.id
            WHERE f.workspace_id = me.id
                AND (me.takes_all OR public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day))
            LIMIT 200) found) f
        JOIN public.documents d ON d.id = f.id CROSS JOIN LATERAL (
            SELECT public.language_config(d.language) AS config,
                public.title_terms(d.name, d.title, d.language) AS terms) h
        LEFT JOIN wanted w ON w.config = h.config
        WHERE (w.query IS NULL OR h.terms @@ w.query) AND (excluded = '' OR NOT EXISTS (
            SELECT FROM public.chunks c
            WHERE c.document_id = d.id AND NOT c.terms @@ websearch_to_tsquery(c.config, excluded)))),
    best AS (
        SELECT DISTINCT ON (s.document_id) s.document_id, s.id, s.score FROM scored s
        ORDER BY s.document_id, s.score DESC, s.id)
    SELECT coalesce(b.document_id, h.id), b.id, coalesce(b.score, 0) + 0.3 * coalesce(h.score, 0) AS score
    FROM best b FULL JOIN headed h ON h.id = b.document_id
    WHERE coalesce(b.score, 0) + coalesce(h.score, 0) > 0
    ORDER BY score DESC, 1
$$;

REVOKE EXECUTE ON FUNCTION rank_chunks(text[], integer[], regconfig[], text[], boolean[], integer[], boolean[], float8[], float8, text, text,
    text[], text[], text[], date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rank_chunks(text[], integer[], regconfig[], text[], boolean[], integer[], boolean[], float8[], float8, text, text,
    text[], text[], text[], date, date) TO docyard_web;
