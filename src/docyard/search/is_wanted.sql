-- Filters of a search. Like the workspace, the requested facts are a setting of the transaction, so that all search
-- functions apply them.

-- Returns the facts that the searches of this transaction request, or NULL.
CREATE OR REPLACE FUNCTION wanted_facts() RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('docyard.facts', true), '')::jsonb;

-- Returns whether a document has a fact: a folder, a tag, a mention of one of several entities, a type, or a field whose
-- value contains a text or is within bounds.
-- Rejected mentions and fields are ignored.
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
        -- The date of a document also counts without a field, unless a user rejected a field with this date.
        OR fact ->> 'name' = 'date' AND coalesce(fact ->> 'first', fact ->> 'last') IS NOT NULL
            AND (d).document_date >= coalesce(fact ->> 'first', '-infinity')::date
            AND (d).document_date <= coalesce(fact ->> 'last', 'infinity')::date
            AND NOT EXISTS (SELECT FROM field_values f WHERE f.document_id = (d).id AND f.name = 'date'
                AND f.state = 'rejected' AND f.day = (d).document_date)
END;

-- Returns whether a document passes the filters and has the requested facts; filters that are NULL are ignored.
CREATE OR REPLACE FUNCTION is_wanted(
    d documents, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (d).deleted_at IS NULL
    AND (only_types IS NULL OR EXISTS (SELECT FROM unnest(only_types) t WHERE starts_with((d).media_type, t)))
    AND (only_tags IS NULL OR only_tags = '{}' OR tag_keys((d).tags || (d).found_tags) @> tag_keys(only_tags))
    AND (only_languages IS NULL OR (d).language = ANY (only_languages))
    AND (first_day IS NULL OR coalesce((d).document_date, (d).created_at::date) >= first_day)
    AND (last_day IS NULL OR coalesce((d).document_date, (d).created_at::date) <= last_day)
    AND (wanted_facts() IS NULL OR NOT EXISTS (
        SELECT FROM jsonb_array_elements(wanted_facts()) AS f (fact) WHERE fact_holds(d, f.fact) IS NOT TRUE));

REVOKE EXECUTE ON FUNCTION wanted_facts(), fact_holds(documents, jsonb) FROM PUBLIC;
