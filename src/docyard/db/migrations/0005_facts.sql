-- Facts: fields, mentions, entities, merges and relations.

CREATE TABLE field_values (
    -- Users' decisions refer to this id, which does not change when fields are added or removed.
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    ordinal integer NOT NULL,
    value text NOT NULL,
    normal text NOT NULL,
    -- The normal form as a number or date, if it is one.
    number numeric,
    day date,
    confidence real NOT NULL,
    source text NOT NULL,
    -- The position of the value in the text; NULL if it comes from embedded data, such as an electronic invoice.
    page integer,
    start_offset integer,
    end_offset integer,
    state text NOT NULL DEFAULT 'unconfirmed',
    decided_by text,
    decided_at timestamptz,
    -- For a value entered by a user: the field that it replaces.
    corrects bigint CONSTRAINT field_values_correct_field REFERENCES field_values ON DELETE SET NULL,
    CONSTRAINT field_values_named CHECK (name ~ '^[a-z][a-z0-9_]{0,59}$'),
    CONSTRAINT field_values_confidence_share CHECK (confidence BETWEEN 0 AND 1),
    CONSTRAINT field_values_place_whole CHECK (num_nonnulls(page, start_offset, end_offset) IN (0, 3)),
    CONSTRAINT field_values_place_sane CHECK (page >= 1 AND start_offset >= 0 AND end_offset >= start_offset),
    CONSTRAINT field_values_state_known CHECK (state IN ('unconfirmed', 'confirmed', 'rejected')),
    CONSTRAINT field_values_decided_when CHECK ((state = 'unconfirmed') = (decided_at IS NULL)),
    CONSTRAINT field_values_person_decided CHECK (source <> 'person' OR state <> 'unconfirmed'),
    CONSTRAINT field_values_corrected_once UNIQUE (corrects),
    CONSTRAINT field_values_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX field_values_by_document ON field_values (document_id, name);
CREATE INDEX field_values_by_number ON field_values (workspace_id, name, number);
CREATE INDEX field_values_by_day ON field_values (workspace_id, name, day) WHERE day IS NOT NULL;

-- Entities that documents mention. The key is computed from the spelling and the id from the key, so that the same
-- mentions result in the same entities, regardless of the order of documents and of concurrency.
CREATE TABLE entities (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind text NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    -- The entity that this one was merged into by a user. Its mentions are kept, so that a merge can be undone.
    merged_into uuid,
    -- The time of the last comparison with other entities; NULL if one is due.
    compared_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT entities_key_once UNIQUE (workspace_id, kind, key),
    CONSTRAINT entities_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT entities_of_kind UNIQUE (id, workspace_id, kind),
    CONSTRAINT entities_key_short CHECK (char_length(key) BETWEEN 1 AND 300),
    CONSTRAINT entities_name_shown CHECK (char_length(name) BETWEEN 1 AND 500),
    CONSTRAINT entities_not_into_itself CHECK (merged_into <> id),
    -- Only entities of the same kind can be merged.
    CONSTRAINT entities_merged_beside
        FOREIGN KEY (merged_into, workspace_id, kind) REFERENCES entities (id, workspace_id, kind)
) WITH (fillfactor = 80);
-- For the list of entities, in its order.
CREATE INDEX entities_listed ON entities (workspace_id, key COLLATE "C", id) WHERE merged_into IS NULL;
CREATE INDEX entities_merged ON entities (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX entities_to_compare ON entities (id)
    WHERE compared_at IS NULL AND kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part');
CREATE INDEX entities_words ON entities USING gin (scoped_terms(workspace_id, to_tsvector('simple'::regconfig, key)));

-- The blocking keys of an entity's name, hashed with workspace and kind. They are written when the entity is compared.
CREATE TABLE entity_blocks (
    entity_id uuid PRIMARY KEY REFERENCES entities ON DELETE CASCADE,
    blocks bigint[] NOT NULL
);
-- Without a pending list, which every search would have to scan.
CREATE INDEX entity_blocks_members ON entity_blocks USING gin (blocks) WITH (fastupdate = off);

-- Blocks with too many names to be useful, recorded so that they are not counted again soon.
CREATE TABLE common_blocks (
    block bigint PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    counted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX common_blocks_of ON common_blocks (workspace_id);

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
    -- The field that the mention was derived from; NULL if a rule or model found it.
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
-- For the page of an entity, which lists the newest first.
CREATE INDEX mentions_by_entity ON mentions (entity_id, id DESC) WHERE entity_id IS NOT NULL;

-- Pairs of entities that may be the same. Only a user can confirm a merge.
CREATE TABLE entity_merges (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    one uuid NOT NULL,
    other uuid NOT NULL,
    reason text NOT NULL,
    -- The similarity of the pair; NULL if a user proposed the merge.
    score real,
    state text NOT NULL DEFAULT 'proposed',
    decided_by text,
    decided_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (one, other),
    -- The order ensures one row per pair.
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

-- Relations between two entities, or an entity and a document, with the position of the evidence in a document.
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
