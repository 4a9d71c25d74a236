-- name: known_fields
-- Returns the names in this list that are fields of at least one document of the workspace.
SELECT n.name FROM unnest(%(names)s::text[]) AS n (name)
WHERE EXISTS (SELECT FROM field_values f WHERE f.workspace_id = current_workspace() AND f.name = n.name)

-- name: list_field_names
-- Returns the distinct field names of the workspace by a loose index scan.
WITH RECURSIVE names AS (
    (SELECT f.name FROM field_values f WHERE f.workspace_id = current_workspace() ORDER BY f.name LIMIT 1)
    UNION ALL
    SELECT (SELECT f.name FROM field_values f WHERE f.workspace_id = current_workspace() AND f.name > n.name
            ORDER BY f.name LIMIT 1) FROM names n WHERE n.name IS NOT NULL
)
SELECT n.name FROM names n WHERE n.name IS NOT NULL

-- name: want_facts
-- Restricts the searches of this transaction to documents with these facts; '' removes the restriction.
SELECT set_config('docyard.facts', %(facts)s::text, true)

-- name: folder_named
-- Returns the folder with this name, ignoring case, or with this id.
SELECT id FROM folders WHERE workspace_id = current_workspace() AND (key = lower(%(name)s) OR id::text = lower(%(name)s))
ORDER BY key = lower(%(name)s) DESC LIMIT 1

-- name: find_entities_by_name
-- Returns the entities with these ids or keys or, if there are none, with matching word prefixes; and all entities merged
-- with them.
WITH exact AS (
    SELECT e.id, e.merged_into FROM entities e WHERE e.id = ANY (%(ids)s::uuid[])
    UNION SELECT e.id, e.merged_into FROM unnest(%(kinds)s::text[], %(keys)s::text[]) AS k (kind, key)
    JOIN entities e ON e.workspace_id = current_workspace() AND e.kind = k.kind AND e.key = k.key
), found AS (
    SELECT coalesce(x.merged_into, x.id) AS root FROM exact x
    UNION SELECT f.id FROM find_entities(nullif(%(words)s::text[], '{}'), NULL, NULL, NULL, 200) f
    WHERE NOT EXISTS (SELECT FROM exact) AND %(words)s::text[] <> '{}'
)
SELECT f.root AS id FROM found f UNION SELECT e.id FROM found f JOIN entities e ON e.merged_into = f.root

-- name: documents_with_facts
-- Returns documents that have the facts set by want_facts and pass the filters, newest first.
SELECT document_id FROM documents_with_facts(%(limit)s, %(types)s, %(tags)s, %(languages)s, %(since)s, %(until)s)

-- name: type_facets
-- Counts these documents by type, most frequent first.
SELECT d.type AS value, count(*) AS documents FROM documents d
WHERE d.id = ANY (%(ids)s) AND d.type IS NOT NULL GROUP BY d.type ORDER BY 2 DESC, 1 LIMIT %(limit)s

-- name: entity_facets
-- Returns the entities mentioned by the most documents in this list; merged entities count as one.
SELECT x.id, x.kind, family_name(x.id) AS name, x.documents FROM (
    SELECT coalesce(e.merged_into, e.id) AS id, e.kind, min(e.key) AS key, count(DISTINCT m.document_id) AS documents
    FROM mentions m JOIN entities e ON e.id = m.entity_id
    WHERE m.document_id = ANY (%(ids)s) AND m.state <> 'rejected' AND e.kind = ANY (%(kinds)s)
    GROUP BY 1, 2 ORDER BY 4 DESC, 3, 1 LIMIT %(limit)s) x
ORDER BY x.documents DESC, x.key, x.id
