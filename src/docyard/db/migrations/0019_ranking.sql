-- Search that ranks: words counted per workspace for BM25, an index of its own for each workspace's words, vectors
-- of passages where pgvector is there, and a pool for making them. Decision 6 tells why.

-- Stems without stop words: a word that is everywhere weighs next to nothing by its count, and a phrase such as
-- "to be or not to be" still finds its place.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{danish,dutch,english,finnish,french,german,hungarian,italian,norwegian,portuguese,romanian,russian,spanish,swedish,turkish}'::text[]
    LOOP
        EXECUTE format('CREATE TEXT SEARCH DICTIONARY stem_%s (TEMPLATE = pg_catalog.snowball, LANGUAGE = %s)', name, name);
        EXECUTE format('CREATE TEXT SEARCH CONFIGURATION every_%s (COPY = pg_catalog.%s)', name, name);
        EXECUTE format('ALTER TEXT SEARCH CONFIGURATION every_%s ALTER MAPPING REPLACE pg_catalog.%s_stem WITH stem_%s', name, name, name);
    END LOOP;
    -- Latin words in Russian texts are stemmed as English ones.
    ALTER TEXT SEARCH CONFIGURATION every_russian ALTER MAPPING REPLACE pg_catalog.english_stem WITH stem_english;
END $$;

-- How a document of this language is cut into words; any other language goes by its plain words.
CREATE FUNCTION language_config(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE language
    WHEN 'da' THEN 'every_danish'::regconfig WHEN 'de' THEN 'every_german'::regconfig
    WHEN 'en' THEN 'every_english'::regconfig WHEN 'es' THEN 'every_spanish'::regconfig
    WHEN 'fi' THEN 'every_finnish'::regconfig WHEN 'fr' THEN 'every_french'::regconfig
    WHEN 'hu' THEN 'every_hungarian'::regconfig WHEN 'it' THEN 'every_italian'::regconfig
    WHEN 'nl' THEN 'every_dutch'::regconfig WHEN 'no' THEN 'every_norwegian'::regconfig
    WHEN 'pt' THEN 'every_portuguese'::regconfig WHEN 'ro' THEN 'every_romanian'::regconfig
    WHEN 'ru' THEN 'every_russian'::regconfig WHEN 'sv' THEN 'every_swedish'::regconfig
    WHEN 'tr' THEN 'every_turkish'::regconfig ELSE 'simple'::regconfig END;

-- The words of a passage as the index keeps them: each under its workspace, so that another tenant's passages cost
-- nothing, and once more under a tier where it stands at least three or nine times, so that the best passages of a word
-- that is nearly everywhere are found without reading them all.
CREATE FUNCTION scoped_terms(workspace_id uuid, terms tsvector) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT coalesce(array_to_tsvector(array_agg(left(workspace_id::text, 8) || t.tier || left(u.lexeme, 255))), '')
    FROM unnest(terms) AS u CROSS JOIN LATERAL unnest(
        CASE WHEN cardinality(u.positions) >= 9 THEN '{1,3,9}'::text[]
             WHEN cardinality(u.positions) >= 3 THEN '{1,3}'::text[] ELSE '{1}'::text[] END) AS t (tier)
$$;

-- The words of a document's title and file name; a name is cut at its dots, dashes and underscores.
CREATE FUNCTION heading_terms(name text, title text, language text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector(language_config(language), translate(coalesce(title, '') || ' ' || name, '_-.', '   '));

DROP FUNCTION search_chunks(text, integer, integer);
DROP FUNCTION search_query(text);
DROP FUNCTION marking_query(regconfig, text);
ALTER TABLE chunks DROP COLUMN terms;
UPDATE chunks SET config = ('every_' || config)::regconfig WHERE config <> 'simple'::regconfig;
ALTER TABLE chunks ADD COLUMN terms tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector(config, text)) STORED;
CREATE INDEX chunks_terms ON chunks USING gin (scoped_terms(workspace_id, terms));
CREATE INDEX documents_heading ON documents
    USING gin (scoped_terms(workspace_id, heading_terms(name, title, language))) WHERE deleted_at IS NULL;

-- In how many passages of a workspace a word stands, and in how many at least three and nine times.
CREATE TABLE lexemes (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    lexeme text COLLATE "C" NOT NULL,
    chunks bigint NOT NULL,
    chunks_3 bigint NOT NULL,
    chunks_9 bigint NOT NULL,
    PRIMARY KEY (workspace_id, lexeme)
) WITH (fillfactor = 80);
-- How much text of each language a workspace has.
CREATE TABLE text_totals (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    config regconfig NOT NULL,
    chunks bigint NOT NULL,
    characters bigint NOT NULL,
    PRIMARY KEY (workspace_id, config)
) WITH (fillfactor = 50);
-- What saving or dropping the passages of a document changed in both, until upkeep adds it up: two documents with the
-- same words would otherwise wait for each other.
CREATE TABLE text_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    config regconfig NOT NULL,
    chunks bigint NOT NULL,
    characters bigint NOT NULL,
    lexemes text[] NOT NULL,
    counts bigint[] NOT NULL,
    counts_3 bigint[] NOT NULL,
    counts_9 bigint[] NOT NULL,
    CONSTRAINT text_changes_even CHECK (cardinality(lexemes) = cardinality(counts)
        AND cardinality(counts_3) = cardinality(counts) AND cardinality(counts_9) = cardinality(counts))
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

-- What passages with these texts and words amount to, as a change; a sign of -1 takes them away.
CREATE FUNCTION note_text_change(of_workspace uuid, configs regconfig[], texts text[], sign integer) RETURNS void
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH passages AS (SELECT * FROM unnest(configs, texts) AS p (config, text)),
    counted AS (
        SELECT p.config, u.lexeme, count(*) AS n, count(*) FILTER (WHERE cardinality(u.positions) >= 3) AS n_3,
            count(*) FILTER (WHERE cardinality(u.positions) >= 9) AS n_9
        FROM passages p CROSS JOIN LATERAL unnest(to_tsvector(p.config, p.text)) AS u GROUP BY p.config, u.lexeme),
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

-- Adds up to so many changes; gives how many there were.
CREATE FUNCTION fold_text_changes(most integer) RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    WITH taken AS (
        DELETE FROM public.text_changes WHERE id IN (
            SELECT t.id FROM public.text_changes t ORDER BY t.id LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING *),
    words AS (
        INSERT INTO public.lexemes AS l (workspace_id, lexeme, chunks, chunks_3, chunks_9)
        SELECT t.workspace_id, u.lexeme, sum(u.n), sum(u.n_3), sum(u.n_9)
        FROM taken t CROSS JOIN LATERAL unnest(t.lexemes, t.counts, t.counts_3, t.counts_9) AS u (lexeme, n, n_3, n_9)
        -- In order, so that two who add up at once never wait for each other in a circle.
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

-- What is there already is counted once.
SELECT note_text_change(g.workspace_id, g.configs, g.texts, 1) FROM (
    SELECT workspace_id, array_agg(config) AS configs, array_agg(text) AS texts
    FROM chunks GROUP BY document_id, workspace_id) g;
SELECT fold_text_changes(1000000);

-- Full-text operators are not leakproof, so under row security their index would go unused. The functions below run as
-- the owner and filter by the setting that the policies read.

-- What a search wants: its words by number, each with the forms it has in each language of the workspace, and how
-- often each form occurs there.
CREATE FUNCTION query_lexemes(words text[], prefixes text[])
RETURNS TABLE (word integer, config regconfig, lexeme text, prefix boolean, chunks bigint, chunks_3 bigint,
               chunks_9 bigint, telling boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH configs AS (
        SELECT t.config FROM public.text_totals t
        WHERE t.workspace_id = public.current_workspace() AND t.chunks > 0
        UNION SELECT c.config FROM public.text_changes c WHERE c.workspace_id = public.current_workspace()
        UNION SELECT 'simple'::regconfig),
    -- The little words of each language: they order what other words found, and find nothing by themselves.
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

-- Which of these single words stand in the workspace, and in how many passages; all are stemmed at one stroke, and
-- their places tell them apart again.
CREATE FUNCTION known_words(words text[]) RETURNS TABLE (word integer, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT p.place::integer, l.chunks
    FROM public.text_totals t CROSS JOIN LATERAL unnest(to_tsvector(t.config, array_to_string(words, ' '))) AS u
    JOIN public.lexemes l ON l.workspace_id = t.workspace_id AND l.lexeme = u.lexeme AND l.chunks > 0
    CROSS JOIN LATERAL unnest(u.positions) AS p (place)
    WHERE t.workspace_id = public.current_workspace() AND t.chunks > 0
$$;

-- Whether a document is wanted by the filters of a search; what is not given does not matter.
CREATE FUNCTION is_wanted(d documents, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (d).deleted_at IS NULL
    AND (only_types IS NULL OR EXISTS (SELECT FROM unnest(only_types) t WHERE starts_with((d).media_type, t)))
    AND (only_tags IS NULL OR (d).tags @> only_tags)
    AND (only_languages IS NULL OR (d).language = ANY (only_languages))
    AND (first_day IS NULL OR coalesce((d).document_date, (d).created_at::date) >= first_day)
    AND (last_day IS NULL OR coalesce((d).document_date, (d).created_at::date) <= last_day);

-- The passages and headings that the probes reach, each scored by BM25: the best passage of each document, best first.
-- A probe is a query over scoped words and how many passages to take from it at most.
CREATE FUNCTION rank_chunks(
    probes text[], depths integer[], configs regconfig[], queries text[], prefixes boolean[], words integer[],
    telling boolean[], weights float8[], mean_length float8, required text, excluded text,
    only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS TABLE (document_id uuid, chunk_id bigint, score float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
-- A list of passages that does not fit would be kept by page, and every passage of those pages be taken apart again.
SET work_mem = '64MB' AS $$
    WITH me AS MATERIALIZED (
        SELECT public.current_workspace() AS id,
            num_nonnulls(only_types, only_tags, only_languages, first_day, last_day) = 0 AS takes_all),
    units AS MATERIALIZED (
        SELECT u.config, u.word, u.weight, u.prefix, u.query::tsquery AS query,
            -- Where all words are little ones, each of them counts.
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
                -- Joined with nothing, the words are unpacked once and not for each question about them.
                c.terms || ''::tsvector AS terms,
                1.2 * (0.25 + 0.75 * c.length / mean_length) AS k
            -- OFFSET 0: whatever the planner believes of tables it has not seen, the words come first.
            FROM (
                SELECT c.id, c.document_id, c.workspace_id, c.config, c.terms, c.end_offset - c.start_offset AS length
                FROM public.chunks c
                WHERE public.scoped_terms(c.workspace_id, c.terms) @@ p.query::tsquery OFFSET 0) c
            JOIN public.documents d ON d.id = c.document_id
            WHERE c.workspace_id = me.id
                -- Not joined: the planner would gather every passage first, and stop at the limit only then.
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
                -- ts_rank of one word is the sum of 1/k² for its k places, by π²/6; this turns it back into their number.
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
                    AND public.scoped_terms(d.workspace_id, public.heading_terms(d.name, d.title, d.language))
                        @@ p.query::tsquery OFFSET 0) f JOIN public.documents d ON d.id = f.id
            WHERE f.workspace_id = me.id
                AND (me.takes_all OR public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day))
            LIMIT 200) found) f
        JOIN public.documents d ON d.id = f.id CROSS JOIN LATERAL (
            SELECT public.language_config(d.language) AS config,
                public.heading_terms(d.name, d.title, d.language) AS terms) h
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

-- The words that tell a document from the others of its workspace, by how often it has them and how rare they are.
CREATE FUNCTION telling_words(of_document uuid, most integer)
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
    -- What nobody else has leads to nobody.
    JOIN public.lexemes l ON l.workspace_id = public.current_workspace() AND l.lexeme = w.lexeme AND l.chunks > w.own
    ORDER BY w.times / (w.times + 1.2) * ln(1 + (
        SELECT sum(t.chunks) FROM public.text_totals t WHERE t.workspace_id = public.current_workspace())
        / l.chunks) DESC, w.lexeme
    LIMIT most
$$;

-- How much text the workspace has, for the weights of words.
CREATE FUNCTION text_size() RETURNS TABLE (chunks bigint, characters bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(sum(t.chunks), 0)::bigint, coalesce(sum(t.characters), 0)::bigint
    FROM public.text_totals t WHERE t.workspace_id = public.current_workspace()
$$;

-- What to mark in a text of this language: any of the words, but not the little ones unless there are no others.
CREATE FUNCTION marking_query(config regconfig, words text, prefixes text[]) RETURNS tsquery
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN numnode(telling) > 0 THEN telling ELSE websearch_to_tsquery(config, words) END
    FROM (SELECT websearch_to_tsquery(regexp_replace(config::text, '^.*every_', '')::regconfig, words)
        || coalesce((SELECT string_agg(lower(p) || ':*', ' | ')::tsquery FROM unnest(prefixes) p), '') AS telling) t
);

-- A model that makes vectors; its fingerprint tells its weights and precision from any other's.
CREATE TABLE embedding_models (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    fingerprint text NOT NULL UNIQUE,
    dims integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT embedding_models_dims_sane CHECK (dims BETWEEN 1 AND 4000)
);
-- Documents all of whose passages have vectors of that model.
CREATE TABLE embedded_documents (
    document_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    model smallint NOT NULL REFERENCES embedding_models ON DELETE CASCADE,
    chunks integer NOT NULL,
    CONSTRAINT embedded_documents_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);

-- Makes the place for vectors if pgvector is there and may be used; gives whether there is one. Called again by upkeep,
-- because pgvector may be installed later.
CREATE FUNCTION prepare_embeddings() RETURNS boolean LANGUAGE plpgsql AS $make$
BEGIN
    IF to_regclass('public.chunk_embeddings') IS NOT NULL THEN
        RETURN true;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_available_extension_versions
                   WHERE name = 'vector' AND string_to_array(version, '.')::integer[] >= '{0,8}') THEN
        RETURN false;
    END IF;
    BEGIN
        CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
    EXCEPTION WHEN insufficient_privilege OR unique_violation THEN
        RETURN false;
    END;
    IF to_regtype('public.halfvec') IS NULL THEN
        RETURN false;  -- it lives in a schema that our functions do not look into
    END IF;
    CREATE TABLE public.chunk_embeddings (
        chunk_id bigint NOT NULL REFERENCES public.chunks ON DELETE CASCADE,
        model smallint NOT NULL REFERENCES public.embedding_models ON DELETE CASCADE,
        document_id uuid NOT NULL,
        workspace_id uuid NOT NULL,
        vector public.halfvec NOT NULL,
        PRIMARY KEY (chunk_id, model),
        CONSTRAINT chunk_embeddings_of_document FOREIGN KEY (document_id, workspace_id)
            REFERENCES public.documents (id, workspace_id) ON DELETE CASCADE
    );
    -- A small workspace is searched exactly, through this one; each model has an index of its own for large ones.
    CREATE INDEX chunk_embeddings_by_workspace ON public.chunk_embeddings (workspace_id, model);
    CREATE INDEX chunk_embeddings_by_document ON public.chunk_embeddings (document_id);
    ALTER TABLE public.chunk_embeddings ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own_workspace ON public.chunk_embeddings TO docyard_web
        USING (workspace_id = (SELECT public.current_workspace()))
        WITH CHECK (workspace_id = (SELECT public.current_workspace()));
    GRANT SELECT ON public.chunk_embeddings TO docyard_web;
    RETURN true;
END $make$;
SELECT prepare_embeddings();

-- The passages whose vectors of this model are nearest, nearest first. Dynamic, because an index can only be used for
-- a model and a number of dimensions that the planner knows.
CREATE FUNCTION nearest_chunks(
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
    -- Goes on past passages of other workspaces until enough of this one are found.
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

-- The work of making vectors has a pool of its own, so that it never holds a document back.
INSERT INTO pools (pool, resource) VALUES ('embed', 'embed');

ALTER TABLE lexemes ENABLE ROW LEVEL SECURITY;
ALTER TABLE text_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE text_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedded_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON embedded_documents TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
GRANT SELECT ON embedding_models, embedded_documents TO docyard_web;
REVOKE EXECUTE ON FUNCTION note_text_change(uuid, regconfig[], text[], integer), fold_text_changes(integer),
    prepare_embeddings(), query_lexemes(text[], text[]), known_words(text[]), text_size(), telling_words(uuid, integer),
    rank_chunks(text[], integer[], regconfig[], text[], boolean[], integer[], boolean[], float8[], float8, text, text,
                text[], text[], text[], date, date),
    nearest_chunks(smallint, text, integer, bigint, uuid, text[], text[], text[], date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION query_lexemes(text[], text[]), known_words(text[]), text_size(), telling_words(uuid, integer),
    rank_chunks(text[], integer[], regconfig[], text[], boolean[], integer[], boolean[], float8[], float8, text, text,
                text[], text[], text[], date, date),
    nearest_chunks(smallint, text, integer, bigint, uuid, text[], text[], text[], date, date) TO docyard_web;
