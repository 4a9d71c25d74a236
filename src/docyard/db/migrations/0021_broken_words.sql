-- Words that a line broke in two ("main-" and "tenance") are found whole; the words of deleted documents leave.

-- The text with such words put together again: a hyphen at the end of a line between letters, or a soft one anywhere.
-- What goes on with a capital ("Schleswig-" and "Holstein") is two words.
CREATE FUNCTION unbroken(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(written,
    E'(?<=[[:alpha:]])(?:[-\u2010\u00AD][ \t]*\n[ \t]*|\u00AD)(?=[[:lower:]])', '', 'g');

-- What is indexed of a passage: its text put together, and behind it every such word with its hyphen, because some
-- ("well-" and "known") have one.
CREATE FUNCTION search_text(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN written ~ E'[-\u2010\u00AD][ \t]*\n|\u00AD' THEN
    unbroken(written) || coalesce((
        SELECT ' ' || string_agg(m[1] || '-' || m[2], ' ')
        FROM regexp_matches(written, E'([[:alpha:]]+)[-\u2010][ \t]*\n[ \t]*([[:lower:]][[:alpha:]]*)', 'g') AS m), '')
    ELSE written END;

DROP INDEX chunks_terms;
ALTER TABLE chunks DROP COLUMN terms;
ALTER TABLE chunks ADD COLUMN terms tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector(config, search_text(text))) STORED;
CREATE INDEX chunks_terms ON chunks USING gin (scoped_terms(workspace_id, terms));

-- What passages with these texts and words amount to, as a change; a sign of -1 takes them away.
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

-- Deleted documents that still have their passages; upkeep drops those, and then there are no pages left.
CREATE INDEX documents_deleted ON documents (deleted_at) WHERE deleted_at IS NOT NULL AND page_count IS NOT NULL;

-- Words are counted anew, from the passages as they are indexed now. Nobody saves passages meanwhile: the table is locked.
DELETE FROM text_changes;
DELETE FROM lexemes;
DELETE FROM text_totals;
INSERT INTO lexemes (workspace_id, lexeme, chunks, chunks_3, chunks_9)
SELECT c.workspace_id, u.lexeme, count(*), count(*) FILTER (WHERE cardinality(u.positions) >= 3),
    count(*) FILTER (WHERE cardinality(u.positions) >= 9)
FROM chunks c CROSS JOIN LATERAL unnest(c.terms) AS u GROUP BY c.workspace_id, u.lexeme;
INSERT INTO text_totals (workspace_id, config, chunks, characters)
SELECT workspace_id, config, count(*), sum(char_length(text)) FROM chunks GROUP BY workspace_id, config;
