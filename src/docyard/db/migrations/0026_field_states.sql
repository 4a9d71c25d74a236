-- Fields that people confirm, reject and correct, as they do with mentions and relations.

-- A field has a number of its own: what a person said of it is said of this one, however many there are now.
ALTER TABLE field_values
    DROP CONSTRAINT field_values_pkey,
    ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ADD COLUMN state text NOT NULL DEFAULT 'unconfirmed',
    ADD COLUMN decided_by text,
    ADD COLUMN decided_at timestamptz,
    -- The field that was found, of a value that a person gave in its place.
    ADD COLUMN corrects bigint CONSTRAINT field_values_correct_field REFERENCES field_values ON DELETE SET NULL,
    ADD CONSTRAINT field_values_state_known CHECK (state IN ('unconfirmed', 'confirmed', 'rejected')),
    ADD CONSTRAINT field_values_decided_when CHECK ((state = 'unconfirmed') = (decided_at IS NULL)),
    ADD CONSTRAINT field_values_person_decided CHECK (source <> 'person' OR state <> 'unconfirmed'),
    ADD CONSTRAINT field_values_corrected_once UNIQUE (corrects);
CREATE INDEX field_values_by_document ON field_values (document_id, name);

-- What people decide, and what they give themselves.
GRANT INSERT (document_id, workspace_id, name, ordinal, value, normal, number, day, confidence, source, state,
        decided_by, decided_at, corrects),
    UPDATE (value, normal, number, day, state, decided_by, decided_at) ON field_values TO docyard_web;

-- Whether a document has one fact that was asked for: a folder, a tag, an entity by its ids, a type, or a field within
-- bounds. What a person rejected is no fact.
CREATE OR REPLACE FUNCTION fact_holds(d documents, fact jsonb) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
    WHEN fact ? 'folder' THEN (d).folder_id = (fact ->> 'folder')::uuid
    WHEN fact ? 'tag' THEN tag_key(fact ->> 'tag') = ANY (tag_keys((d).tags || (d).found_tags))
    WHEN fact ? 'entities' THEN EXISTS (
        SELECT FROM mentions m WHERE m.document_id = (d).id AND m.state <> 'rejected'
            AND m.entity_id IN (SELECT e.id::uuid FROM jsonb_array_elements_text(fact -> 'entities') AS e (id)))
    WHEN fact ->> 'name' = 'type' THEN lower((d).type) = fact ->> 'text'
    ELSE EXISTS (
        SELECT FROM field_values f WHERE f.document_id = (d).id AND f.name = fact ->> 'name' AND f.state <> 'rejected'
            AND (fact ->> 'text' IS NULL OR strpos(lower(f.normal), fact ->> 'text') > 0
                OR strpos(lower(f.value), fact ->> 'text') > 0)
            AND (fact ->> 'above' IS NULL OR f.number > (fact ->> 'above')::numeric)
            AND (fact ->> 'least' IS NULL OR f.number >= (fact ->> 'least')::numeric)
            AND (fact ->> 'below' IS NULL OR f.number < (fact ->> 'below')::numeric)
            AND (fact ->> 'most' IS NULL OR f.number <= (fact ->> 'most')::numeric)
            AND (fact ->> 'first' IS NULL OR f.day >= (fact ->> 'first')::date)
            AND (fact ->> 'last' IS NULL OR f.day <= (fact ->> 'last')::date))
        -- The date of a document may be known without a field, unless a person said that it is not this day.
        OR fact ->> 'name' = 'date' AND coalesce(fact ->> 'first', fact ->> 'last') IS NOT NULL
            AND (d).document_date >= coalesce(fact ->> 'first', '-infinity')::date
            AND (d).document_date <= coalesce(fact ->> 'last', 'infinity')::date
            AND NOT EXISTS (SELECT FROM field_values f WHERE f.document_id = (d).id AND f.name = 'date'
                AND f.state = 'rejected' AND f.day = (d).document_date)
END;
