-- Search: chunks, stemming, word counts and embedding models.

-- Text search configurations without stop words. Frequent words have little weight because of their counts, and phrases
-- such as "to be or not to be" can be found.
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
    -- Words in Latin script in Russian texts are stemmed as English.
    ALTER TEXT SEARCH CONFIGURATION every_russian ALTER MAPPING REPLACE pg_catalog.english_stem WITH stem_english;
END $$;

-- Indexes and generated columns use the functions below. After a change of a function, rebuild them.

-- Returns the text search configuration of a language; for other languages, one that does not stem.
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

-- Returns the terms of a chunk for the index. Each is prefixed with its workspace, so that a search skips other tenants,
-- and with 1. A term that occurs at least three or nine times is repeated with the prefix 3 or 9, so that the best
-- chunks for a frequent term are found without reading all of them.
CREATE FUNCTION scoped_terms(workspace_id uuid, terms tsvector) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT coalesce(array_to_tsvector(array_agg(left(workspace_id::text, 8) || t.tier || left(u.lexeme, 255))), '')
    FROM unnest(terms) AS u CROSS JOIN LATERAL unnest(
        CASE WHEN cardinality(u.positions) >= 9 THEN '{1,3,9}'::text[]
             WHEN cardinality(u.positions) >= 3 THEN '{1,3}'::text[] ELSE '{1}'::text[] END) AS t (tier)
$$;

-- Returns the terms of a document's title and file name. The name is split at dots, hyphens and underscores.
CREATE FUNCTION title_terms(name text, title text, language text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector(language_config(language), translate(coalesce(title, '') || ' ' || name, '_-.', '   '));

-- Joins words that are hyphenated at the end of a line ("main-" and "tenance") or contain a soft hyphen. A word whose
-- second part starts with a capital ("Schleswig-" and "Holstein") is not joined.
CREATE FUNCTION unbroken(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(written,
    E'(?<=[[:alpha:]])(?:[-\u2010\u00AD][ \t]*\n[ \t]*|\u00AD)(?=[[:lower:]])', '', 'g');

-- Returns the text of a chunk to be indexed: with hyphenated words joined, followed by the same words with their
-- hyphen, because in some ("well-" and "known") it belongs to the word.
CREATE FUNCTION search_text(written text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN written ~ E'[-\u2010\u00AD][ \t]*\n|\u00AD' THEN
    unbroken(written) || coalesce((
        SELECT ' ' || string_agg(m[1] || '-' || m[2], ' ')
        FROM regexp_matches(written, E'([[:alpha:]]+)[-\u2010][ \t]*\n[ \t]*([[:lower:]][[:alpha:]]*)', 'g') AS m), '')
    ELSE written END;

CREATE TABLE chunks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    ordinal integer NOT NULL,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    heading text NOT NULL DEFAULT '',
    text text NOT NULL,
    config regconfig NOT NULL,
    terms tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector(config, search_text(text))) STORED,
    UNIQUE (document_id, ordinal),
    CONSTRAINT chunks_offsets_exact CHECK (end_offset - start_offset = char_length(text) AND start_offset >= 0),
    CONSTRAINT chunks_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX chunks_terms ON chunks USING gin (scoped_terms(workspace_id, terms));
CREATE INDEX documents_title ON documents
    USING gin (scoped_terms(workspace_id, title_terms(name, title, language))) WHERE deleted_at IS NULL;

-- The number of chunks of a workspace that contain a lexeme, and that contain it at least three and nine times.
CREATE TABLE lexemes (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    lexeme text COLLATE "C" NOT NULL,
    chunks bigint NOT NULL,
    chunks_3 bigint NOT NULL,
    chunks_9 bigint NOT NULL,
    PRIMARY KEY (workspace_id, lexeme)
) WITH (fillfactor = 80);
-- The number of chunks and characters of a workspace, by language.
CREATE TABLE text_totals (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    config regconfig NOT NULL,
    chunks bigint NOT NULL,
    characters bigint NOT NULL,
    PRIMARY KEY (workspace_id, config)
) WITH (fillfactor = 50);
-- Changes to both tables, which upkeep folds in. Otherwise, documents with the same words would wait for each other.
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

-- Embedding models. The fingerprint identifies the weights and the precision of a model.
CREATE TABLE embedding_models (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    fingerprint text NOT NULL UNIQUE,
    dims integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT embedding_models_dims_sane CHECK (dims BETWEEN 1 AND 4000)
);
-- Documents whose chunks all have embeddings of this model.
CREATE TABLE embedded_documents (
    document_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    model smallint NOT NULL REFERENCES embedding_models ON DELETE CASCADE,
    chunks integer NOT NULL,
    CONSTRAINT embedded_documents_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
