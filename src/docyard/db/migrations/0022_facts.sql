-- Facts: what kind of document it is, its fields, what it mentions, the things behind the mentions, and how they relate.

INSERT INTO pools (pool, resource) VALUES
    ('fields', 'cpu'), ('entities', 'cpu'), ('canonicalise', 'cpu'), ('relate', 'cpu');

-- The stages in the order of the road; a test compares it with the program's.
CREATE OR REPLACE FUNCTION road_stages() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['fetch', 'extract', 'ocr', 'classify', 'chunk', 'fields', 'entities', 'canonicalise', 'relate'];

ALTER TABLE documents
    ADD COLUMN type text,
    ADD COLUMN type_confidence real,
    ADD CONSTRAINT documents_type_named CHECK (octet_length(type) BETWEEN 1 AND 100),
    ADD CONSTRAINT documents_type_confidence_share CHECK (type_confidence BETWEEN 0 AND 1);

CREATE INDEX documents_by_type ON documents (workspace_id, lower(type)) WHERE type IS NOT NULL;
CREATE INDEX documents_by_date ON documents (workspace_id, document_date) WHERE document_date IS NOT NULL;

CREATE TABLE field_values (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    ordinal integer NOT NULL,
    value text NOT NULL,
    normal text NOT NULL,
    -- The normal form as a number and as a day, where it is one.
    number numeric,
    day date,
    confidence real NOT NULL,
    source text NOT NULL,
    -- Where it stands; nowhere, where it comes from data beside the text.
    page integer,
    start_offset integer,
    end_offset integer,
    PRIMARY KEY (document_id, name, ordinal),
    CONSTRAINT field_values_named CHECK (name ~ '^[a-z][a-z0-9_]{0,59}$'),
    CONSTRAINT field_values_confidence_share CHECK (confidence BETWEEN 0 AND 1),
    CONSTRAINT field_values_place_whole CHECK (num_nonnulls(page, start_offset, end_offset) IN (0, 3)),
    CONSTRAINT field_values_place_sane CHECK (page >= 1 AND start_offset >= 0 AND end_offset >= start_offset),
    CONSTRAINT field_values_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX field_values_by_number ON field_values (workspace_id, name, number);
CREATE INDEX field_values_by_day ON field_values (workspace_id, name, day) WHERE day IS NOT NULL;

-- A thing that documents mention. Its key follows from how it is written, and its id from its key, so whatever the order
-- in which documents come, and however many at once, the same mentions make the same things.
CREATE TABLE entities (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind text NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    -- The thing it is shown as, by decision of a person; its own mentions stay its own, so that this can be undone.
    merged_into uuid,
    -- When it was last compared with the others; NULL when it has to be.
    compared_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT entities_key_once UNIQUE (workspace_id, kind, key),
    CONSTRAINT entities_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT entities_of_kind UNIQUE (id, workspace_id, kind),
    CONSTRAINT entities_key_short CHECK (char_length(key) BETWEEN 1 AND 300),
    CONSTRAINT entities_name_shown CHECK (char_length(name) BETWEEN 1 AND 500),
    CONSTRAINT entities_not_into_itself CHECK (merged_into <> id),
    -- A person is never shown as an organisation.
    CONSTRAINT entities_merged_beside
        FOREIGN KEY (merged_into, workspace_id, kind) REFERENCES entities (id, workspace_id, kind)
) WITH (fillfactor = 80);
-- The list of things, in order.
CREATE INDEX entities_listed ON entities (workspace_id, key COLLATE "C", id) WHERE merged_into IS NULL;
CREATE INDEX entities_merged ON entities (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX entities_to_compare ON entities (id)
    WHERE compared_at IS NULL AND kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part');

-- A mention's text in one line, as a name to show.
CREATE FUNCTION shown_name(text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(btrim(regexp_replace(text, '\s+', ' ', 'g')), 500);

-- Which of two ways of writing a name is shown: not all in capitals or small letters, then the longer.
CREATE FUNCTION is_better_name(one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (one <> upper(one) AND one <> lower(one), char_length(one), one COLLATE "C")
    > (other <> upper(other) AND other <> lower(other), char_length(other), other COLLATE "C");

-- The name under which an entity is shown, with all that people said are one with it: the best of their names.
CREATE FUNCTION family_name(root uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT e.name FROM entities e WHERE e.id = root OR e.merged_into = root
    ORDER BY e.name <> upper(e.name) AND e.name <> lower(e.name) DESC, char_length(e.name) DESC, e.name COLLATE "C" DESC
    LIMIT 1);

-- What things that might be the same have in common: a word, five letters in a row, initials. Each under its workspace
-- and kind, so that others' cost nothing.
CREATE FUNCTION entity_grams(workspace_id uuid, kind text, key text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT array_agg(DISTINCT left(workspace_id::text, 8) || left(kind, 2) || g.gram) FILTER (WHERE g.gram <> '')
    FROM (SELECT string_to_array(key, ' ') AS words, ' ' || replace(key, ' ', '') || ' ' AS run) k CROSS JOIN LATERAL (
        SELECT '=' || w.word FROM unnest(k.words) AS w (word) WHERE char_length(w.word) >= 3
        UNION ALL SELECT left(k.words[1], 1) || '~' || k.words[cardinality(k.words)]
        UNION ALL SELECT '@' || CASE
            WHEN cardinality(k.words) > 2 THEN (SELECT string_agg(left(w.word, 1), '') FROM unnest(k.words) AS w (word))
            WHEN cardinality(k.words) = 1 AND char_length(key) BETWEEN 3 AND 8 THEN key END
        UNION ALL SELECT substr(k.run, n, 5) FROM generate_series(1, greatest(char_length(k.run) - 4, 1)) AS n) g (gram)
$$;
CREATE INDEX entities_grams ON entities USING gin (entity_grams(workspace_id, kind, key))
    WHERE kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part');
CREATE INDEX entities_words ON entities USING gin (scoped_terms(workspace_id, to_tsvector('simple'::regconfig, key)));

CREATE TABLE mentions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    text text NOT NULL,
    normal text NOT NULL,
    confidence real NOT NULL,
    source text NOT NULL,
    -- The field that says so, where no reader of names did.
    of_field text,
    entity_id uuid,
    state text NOT NULL DEFAULT 'unconfirmed',
    decided_by text,
    decided_at timestamptz,
    CONSTRAINT mentions_place_once UNIQUE (document_id, page, start_offset, end_offset, kind),
    CONSTRAINT mentions_offsets_exact
        CHECK (end_offset - start_offset = char_length(text) AND start_offset >= 0 AND page >= 1),
    CONSTRAINT mentions_confidence_share CHECK (confidence BETWEEN 0 AND 1),
    CONSTRAINT mentions_state_known CHECK (state IN ('unconfirmed', 'confirmed', 'rejected')),
    CONSTRAINT mentions_decided_when CHECK ((state = 'unconfirmed') = (decided_at IS NULL)),
    CONSTRAINT mentions_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE,
    CONSTRAINT mentions_of_entity FOREIGN KEY (entity_id, workspace_id, kind) REFERENCES entities (id, workspace_id, kind)
);
-- The page of an entity reads the newest first.
CREATE INDEX mentions_by_entity ON mentions (entity_id, id DESC) WHERE entity_id IS NOT NULL;

-- Two things that may be one; nothing is merged before a person says so.
CREATE TABLE entity_merges (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    one uuid NOT NULL,
    other uuid NOT NULL,
    reason text NOT NULL,
    -- How alike they are; NULL when a person brought them together.
    score real,
    state text NOT NULL DEFAULT 'proposed',
    decided_by text,
    decided_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (one, other),
    -- A pair has one row, whichever of the two was compared first.
    CONSTRAINT entity_merges_in_order CHECK (one < other),
    CONSTRAINT entity_merges_score_share CHECK (score BETWEEN 0 AND 1),
    CONSTRAINT entity_merges_state_known CHECK (state IN ('proposed', 'confirmed', 'rejected')),
    CONSTRAINT entity_merges_decided_when CHECK ((state = 'proposed') = (decided_at IS NULL)),
    CONSTRAINT entity_merges_one
        FOREIGN KEY (one, workspace_id, kind) REFERENCES entities (id, workspace_id, kind) ON DELETE CASCADE,
    CONSTRAINT entity_merges_other
        FOREIGN KEY (other, workspace_id, kind) REFERENCES entities (id, workspace_id, kind) ON DELETE CASCADE
);
CREATE INDEX entity_merges_by_other ON entity_merges (other);
CREATE INDEX entity_merges_open ON entity_merges (workspace_id, score DESC) WHERE state = 'proposed';

-- How two things relate, or a thing and a document, as a place in a document says.
CREATE TABLE relations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    type text NOT NULL,
    from_entity uuid NOT NULL,
    to_entity uuid,
    to_document uuid,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    confidence real NOT NULL,
    state text NOT NULL DEFAULT 'unconfirmed',
    decided_by text,
    decided_at timestamptz,
    CONSTRAINT relations_said_once UNIQUE NULLS NOT DISTINCT
        (document_id, type, from_entity, to_entity, to_document, page, start_offset, end_offset),
    CONSTRAINT relations_one_end CHECK (num_nonnulls(to_entity, to_document) = 1),
    CONSTRAINT relations_type_named CHECK (type ~ '^[a-z][a-z_]{0,59}$'),
    CONSTRAINT relations_place_sane CHECK (page >= 1 AND start_offset >= 0 AND end_offset >= start_offset),
    CONSTRAINT relations_confidence_share CHECK (confidence BETWEEN 0 AND 1),
    CONSTRAINT relations_state_known CHECK (state IN ('unconfirmed', 'confirmed', 'rejected')),
    CONSTRAINT relations_decided_when CHECK ((state = 'unconfirmed') = (decided_at IS NULL)),
    CONSTRAINT relations_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE,
    CONSTRAINT relations_to_document
        FOREIGN KEY (to_document, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE,
    CONSTRAINT relations_from_entity
        FOREIGN KEY (from_entity, workspace_id) REFERENCES entities (id, workspace_id) ON DELETE CASCADE,
    CONSTRAINT relations_to_entity
        FOREIGN KEY (to_entity, workspace_id) REFERENCES entities (id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX relations_from ON relations (from_entity);
CREATE INDEX relations_to ON relations (to_entity) WHERE to_entity IS NOT NULL;
CREATE INDEX relations_document ON relations (to_document) WHERE to_document IS NOT NULL;

-- Whether a document has one fact that was asked for: an entity by its ids, a type, or a field within bounds.
CREATE FUNCTION fact_holds(d documents, fact jsonb) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
    WHEN fact ? 'entities' THEN EXISTS (
        SELECT FROM mentions m WHERE m.document_id = (d).id AND m.state <> 'rejected'
            AND m.entity_id IN (SELECT e.id::uuid FROM jsonb_array_elements_text(fact -> 'entities') AS e (id)))
    WHEN fact ->> 'name' = 'type' THEN lower((d).type) = fact ->> 'text'
    ELSE EXISTS (
        SELECT FROM field_values f WHERE f.document_id = (d).id AND f.name = fact ->> 'name'
            AND (fact ->> 'text' IS NULL OR strpos(lower(f.normal), fact ->> 'text') > 0
                OR strpos(lower(f.value), fact ->> 'text') > 0)
            AND (fact ->> 'above' IS NULL OR f.number > (fact ->> 'above')::numeric)
            AND (fact ->> 'least' IS NULL OR f.number >= (fact ->> 'least')::numeric)
            AND (fact ->> 'below' IS NULL OR f.number < (fact ->> 'below')::numeric)
            AND (fact ->> 'most' IS NULL OR f.number <= (fact ->> 'most')::numeric)
            AND (fact ->> 'first' IS NULL OR f.day >= (fact ->> 'first')::date)
            AND (fact ->> 'last' IS NULL OR f.day <= (fact ->> 'last')::date))
        -- The date of a document may be known without a field.
        OR fact ->> 'name' = 'date' AND coalesce(fact ->> 'first', fact ->> 'last') IS NOT NULL
            AND (d).document_date >= coalesce(fact ->> 'first', '-infinity')::date
            AND (d).document_date <= coalesce(fact ->> 'last', 'infinity')::date
END;

-- The facts that this transaction's search asks for, as the workspace is: every way of searching is narrowed alike.
CREATE FUNCTION wanted_facts() RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('docyard.facts', true), '')::jsonb;

-- Whether a document is wanted by the filters of a search; what is not given does not matter.
CREATE OR REPLACE FUNCTION is_wanted(
    d documents, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (d).deleted_at IS NULL
    AND (only_types IS NULL OR EXISTS (SELECT FROM unnest(only_types) t WHERE starts_with((d).media_type, t)))
    AND (only_tags IS NULL OR (d).tags @> only_tags)
    AND (only_languages IS NULL OR (d).language = ANY (only_languages))
    AND (first_day IS NULL OR coalesce((d).document_date, (d).created_at::date) >= first_day)
    AND (last_day IS NULL OR coalesce((d).document_date, (d).created_at::date) <= last_day)
    AND (wanted_facts() IS NULL OR NOT EXISTS (
        SELECT FROM jsonb_array_elements(wanted_facts()) AS f (fact) WHERE fact_holds(d, f.fact) IS NOT TRUE));

-- Documents with the facts that are wanted, the newest first. The first fact leads to them through its index: without
-- one, a fact that few documents have would be looked for in all.
CREATE FUNCTION documents_with_facts(
    most integer, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS TABLE (document_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH lead AS MATERIALIZED (SELECT public.current_workspace() AS me, public.wanted_facts() -> 0 AS fact),
    led AS (
        SELECT m.document_id FROM lead l CROSS JOIN LATERAL jsonb_array_elements_text(l.fact -> 'entities') AS e (id)
        JOIN public.mentions m ON m.entity_id = e.id::uuid AND m.workspace_id = l.me
        WHERE l.fact ? 'entities'
        UNION
        SELECT f.document_id FROM lead l JOIN public.field_values f
            ON f.workspace_id = l.me AND f.name = l.fact ->> 'name'
            AND f.number >= coalesce(l.fact ->> 'above', l.fact ->> 'least', '-infinity')::numeric
            AND f.number <= coalesce(l.fact ->> 'below', l.fact ->> 'most', 'infinity')::numeric
        WHERE l.fact ?| '{above,least,below,most}'
        UNION
        SELECT f.document_id FROM lead l JOIN public.field_values f
            ON f.workspace_id = l.me AND f.name = l.fact ->> 'name'
            AND f.day >= coalesce(l.fact ->> 'first', '-infinity')::date
            AND f.day <= coalesce(l.fact ->> 'last', 'infinity')::date
        WHERE l.fact ?| '{first,last}'
        UNION
        SELECT d.id FROM lead l JOIN public.documents d ON d.workspace_id = l.me
            AND d.document_date >= coalesce(l.fact ->> 'first', '-infinity')::date
            AND d.document_date <= coalesce(l.fact ->> 'last', 'infinity')::date
        WHERE l.fact ?| '{first,last}' AND l.fact ->> 'name' = 'date'
        UNION
        SELECT f.document_id FROM lead l JOIN public.field_values f
            ON f.workspace_id = l.me AND f.name = l.fact ->> 'name'
        WHERE l.fact ? 'text'
        UNION
        SELECT d.id FROM lead l JOIN public.documents d ON d.workspace_id = l.me AND lower(d.type) = l.fact ->> 'text'
        WHERE l.fact ->> 'name' = 'type')
    SELECT d.id FROM led JOIN public.documents d ON d.id = led.document_id
    WHERE d.workspace_id = public.current_workspace()
        AND public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day)
    ORDER BY d.seq DESC LIMIT most
$$;

-- Things by the beginnings of their words, or all of them, in the order of their keys; what was merged stands for the
-- thing it was merged into. Text search is not leakproof.
CREATE FUNCTION find_entities(words text[], only_kinds text[], after_key text, after_id uuid, most integer)
RETURNS SETOF entities
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
    (SELECT e.* FROM public.entities e
    WHERE words IS NULL AND e.workspace_id = public.current_workspace() AND e.merged_into IS NULL
        AND (only_kinds IS NULL OR e.kind = ANY (only_kinds))
        AND (after_key IS NULL OR (e.key COLLATE "C", e.id) > (after_key COLLATE "C", after_id))
    ORDER BY e.key COLLATE "C", e.id LIMIT most)
    UNION ALL
    (SELECT r.* FROM public.entities r
    WHERE words IS NOT NULL AND r.id IN (
        SELECT coalesce(f.merged_into, f.id)
        -- OFFSET 0: whatever the planner believes of tables it has not seen, the words come first.
        FROM (
            SELECT f.id, f.merged_into, f.workspace_id, f.kind FROM public.entities f
            WHERE public.scoped_terms(f.workspace_id, to_tsvector('simple'::regconfig, f.key)) @@ (
                SELECT string_agg(
                    quote_literal(left(public.current_workspace()::text, 8) || '1' || w.word) || ':*', ' & ')
                FROM unnest(words) AS w (word))::tsquery OFFSET 0) f
        WHERE f.workspace_id = public.current_workspace() AND (only_kinds IS NULL OR f.kind = ANY (only_kinds)))
        AND (after_key IS NULL OR (r.key COLLATE "C", r.id) > (after_key COLLATE "C", after_id))
    ORDER BY r.key COLLATE "C", r.id LIMIT most)
$$;

-- What was read of files that belong to an outside thing: their text, what they mention, and when that was done.
CREATE VIEW extracted_attachments WITH (security_invoker = true) AS
SELECT d.id AS attachment_id, d.workspace_id AS yacht_id, d.entity_type, d.entity_id, d.name AS file_name,
    (SELECT string_agg(p.text, E'\n' ORDER BY p.number) FROM pages p WHERE p.document_id = d.id) AS related_text,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'kind', x.kind, 'name', x.name, 'mentions', x.mentions)
        ORDER BY x.kind, x.name, x.id), '[]')
     FROM (SELECT e.id, e.kind, e.name, count(*) AS mentions FROM mentions m JOIN entities e ON e.id = m.entity_id
           WHERE m.document_id = d.id AND m.state <> 'rejected' GROUP BY e.id) x) AS entities_extracted,
    (SELECT max(r.finished_at) FROM stage_results r WHERE r.document_id = d.id AND r.stage = 'canonicalise'
        AND r.outcome = 'done') AS extraction_completed_at
FROM documents d WHERE d.entity_type IS NOT NULL AND d.deleted_at IS NULL;

ALTER TABLE field_values ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON field_values TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE entities ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON entities TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE mentions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON mentions TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE entity_merges ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON entity_merges TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE relations ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON relations TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
GRANT SELECT ON field_values, entities, mentions, entity_merges, relations, extracted_attachments TO docyard_web;
-- A deleted document takes its facts along, and the things that nothing else mentions.
GRANT DELETE ON field_values, entities, mentions, entity_merges, relations TO docyard_web;
-- What people decide.
GRANT INSERT ON entity_merges TO docyard_web;
GRANT UPDATE (state, decided_by, decided_at) ON entity_merges, mentions, relations TO docyard_web;
GRANT UPDATE (merged_into, name) ON entities TO docyard_web;
REVOKE EXECUTE ON FUNCTION shown_name(text), family_name(uuid), is_better_name(text, text), entity_grams(uuid, text, text),
    fact_holds(documents, jsonb), wanted_facts(), documents_with_facts(integer, text[], text[], text[], date, date),
    find_entities(text[], text[], text, uuid, integer) FROM PUBLIC;
-- Whoever changes an entity keeps its indexes.
GRANT EXECUTE ON FUNCTION shown_name(text), family_name(uuid), is_better_name(text, text), entity_grams(uuid, text, text),
    documents_with_facts(integer, text[], text[], text[], date, date), find_entities(text[], text[], text, uuid, integer) TO docyard_web;
