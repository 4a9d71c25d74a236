-- Word counts of a workspace: changes are recorded when passages are saved or deleted, and are added to the counts later.

-- Records the word counts of these passages as a change; a sign of -1 subtracts them.
CREATE OR REPLACE FUNCTION note_text_change(of_workspace uuid, configs regconfig[], texts text[], sign integer) RETURNS void
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH passages AS (SELECT * FROM unnest(configs, texts) AS p (config, text)),
    counted AS (
        SELECT p.config, u.lexeme, count(*) AS n, count(*) FILTER (WHERE cardinality(u.positions) >= 3) AS n_3,
            count(*) FILTER (WHERE cardinality(u.positions) >= 9) AS n_9
        FROM passages p CROSS JOIN LATERAL unnest(to_tsvector(p.config, public.search_text(p.text))) AS u
        GROUP BY p.config, u.lexeme),
    words AS (
        SELECT c.config, array_agg(c.lexeme) AS lexemes, array_agg(c.n * sign) AS n, array_agg(c.n_3 * sign) AS n_3,
            array_agg(c.n_9 * sign) AS n_9
        FROM counted c GROUP BY c.config),
    sizes AS (
        SELECT p.config, count(*) * sign AS chunks, sum(char_length(p.text)) * sign AS characters
        FROM passages p GROUP BY p.config)
    INSERT INTO public.text_changes (workspace_id, config, chunks, characters, lexemes, counts, counts_3, counts_9)
    SELECT of_workspace, s.config, s.chunks, s.characters, coalesce(w.lexemes, '{}'), coalesce(w.n, '{}'),
        coalesce(w.n_3, '{}'), coalesce(w.n_9, '{}')
    FROM sizes s LEFT JOIN words w ON w.config = s.config
$$;

-- Adds at most `most` changes to the counts, oldest first; returns the number of changes added.
CREATE OR REPLACE FUNCTION fold_text_changes(most integer) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH taken AS (
        DELETE FROM public.text_changes WHERE id IN (
            SELECT t.id FROM public.text_changes t ORDER BY t.id LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING *),
    words AS (
        INSERT INTO public.lexemes AS l (workspace_id, lexeme, chunks, chunks_3, chunks_9)
        SELECT t.workspace_id, u.lexeme, sum(u.n), sum(u.n_3), sum(u.n_9)
        FROM taken t CROSS JOIN LATERAL unnest(t.lexemes, t.counts, t.counts_3, t.counts_9) AS u (lexeme, n, n_3, n_9)
        -- Sorted, so that concurrent calls cannot deadlock.
        GROUP BY t.workspace_id, u.lexeme ORDER BY t.workspace_id, u.lexeme
        ON CONFLICT (workspace_id, lexeme) DO UPDATE SET chunks = l.chunks + excluded.chunks,
            chunks_3 = l.chunks_3 + excluded.chunks_3, chunks_9 = l.chunks_9 + excluded.chunks_9),
    sizes AS (
        INSERT INTO public.text_totals AS s (workspace_id, config, chunks, characters)
        SELECT t.workspace_id, t.config, sum(t.chunks), sum(t.characters) FROM taken t
        GROUP BY t.workspace_id, t.config ORDER BY t.workspace_id, t.config::oid
        ON CONFLICT (workspace_id, config) DO UPDATE SET chunks = s.chunks + excluded.chunks,
            characters = s.characters + excluded.characters)
    SELECT count(*) FROM taken
$$;

REVOKE EXECUTE ON FUNCTION note_text_change(uuid, regconfig[], text[], integer), fold_text_changes(integer) FROM PUBLIC;
