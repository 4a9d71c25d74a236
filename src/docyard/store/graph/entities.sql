-- name: find_entities
-- Returns entities that match all word prefixes, or all entities if there are no prefixes, sorted by key, with the number of
-- their documents.
SELECT e.id, e.kind, e.key, family_name(e.id) AS name, e.merged_into, n.documents
FROM find_entities(%(words)s::text[], %(kinds)s::text[], %(after_key)s, %(after_id)s, %(limit)s) e
CROSS JOIN LATERAL (
    SELECT count(DISTINCT m.document_id)::integer AS documents FROM (
        SELECT m.document_id FROM entities f JOIN mentions m ON m.entity_id = f.id
        WHERE (f.id = e.id OR f.merged_into = e.id) AND m.state <> 'rejected' LIMIT %(counted)s) m) n
ORDER BY e.key COLLATE "C", e.id

-- name: get_entity
-- Returns one entity.
SELECT id, kind, key, name, merged_into FROM entities WHERE id = %(id)s

-- name: load_family
-- Returns this entity and all entities merged into it.
SELECT e.id, e.kind, e.key, e.name, e.merged_into FROM entities e
WHERE e.id = %(id)s OR e.merged_into = %(id)s ORDER BY e.id = %(id)s DESC, e.key COLLATE "C", e.id

-- name: family_name
-- Returns the name under which an entity and all entities merged into it are shown.
SELECT family_name(%(id)s) AS name

-- name: list_aliases
-- Counts the spellings of these entities in their newest mentions, most frequent first.
SELECT shown_name(m.text) AS text, count(*) AS mentions
FROM unnest(%(ids)s::uuid[]) AS e (id) CROSS JOIN LATERAL (
    SELECT m.text FROM mentions m WHERE m.entity_id = e.id AND m.state <> 'rejected' ORDER BY m.id DESC LIMIT %(counted)s) m
GROUP BY 1 ORDER BY 2 DESC, shown_name(m.text) COLLATE "C" LIMIT %(limit)s

-- name: list_entity_mentions
-- Returns the newest mentions of these entities with an id below `below`; each entity is read by a separate index scan.
SELECT m.id, m.document_id, d.name AS document_name, d.title, m.kind, m.page, m.start_offset AS start,
    m.end_offset AS "end", m.text, m.normal, m.confidence, m.source, m.state, m.of_field AS field, m.entity_id,
    n.name AS entity_name
FROM unnest(%(ids)s::uuid[]) AS e (id) CROSS JOIN LATERAL (
    SELECT m.* FROM mentions m WHERE m.entity_id = e.id AND (%(below)s::bigint IS NULL OR m.id < %(below)s)
    ORDER BY m.id DESC LIMIT %(limit)s) m
JOIN entities n ON n.id = m.entity_id
JOIN documents d ON d.id = m.document_id AND d.deleted_at IS NULL
ORDER BY m.id DESC LIMIT %(limit)s

-- name: list_document_mentions
-- Returns the mentions of a document or of one page, each with its entity after merges.
SELECT m.id, m.document_id, d.name AS document_name, d.title, m.kind, m.page, m.start_offset AS start,
    m.end_offset AS "end", m.text, m.normal, m.confidence, m.source, m.state, m.of_field AS field,
    coalesce(e.merged_into, e.id) AS entity_id, family_name(coalesce(e.merged_into, e.id)) AS entity_name
FROM mentions m JOIN documents d ON d.id = m.document_id
LEFT JOIN entities e ON e.id = m.entity_id
WHERE m.document_id = %(document_id)s AND (%(page)s::integer IS NULL OR m.page = %(page)s)
ORDER BY m.page, m.start_offset, m.end_offset, m.kind LIMIT %(limit)s

-- name: list_distinct_mentions
-- Returns the most frequent distinct entities, dates and amounts of a document, for each kind.
SELECT t.kind, coalesce(family_name(t.entity_id), t.normal) AS name, t.entity_id, t.mention, t.mentions, t.confirmed,
    t.of_kind FROM (
    SELECT g.*, count(*) OVER (PARTITION BY g.kind) AS of_kind,
        row_number() OVER (PARTITION BY g.kind ORDER BY g.mentions DESC, g.page, g.mention) AS place
    FROM (
        SELECT m.kind, coalesce(e.merged_into, m.entity_id) AS entity_id,
            min(m.normal) AS normal, min(m.page) AS page,
            (array_agg(m.id ORDER BY m.page, m.start_offset, m.id))[1] AS mention,
            count(*) FILTER (WHERE m.state <> 'rejected') AS mentions,
            count(*) FILTER (WHERE m.state = 'confirmed') AS confirmed
        FROM mentions m LEFT JOIN entities e ON e.id = m.entity_id
        WHERE m.document_id = %(document_id)s
        GROUP BY m.kind, coalesce(e.merged_into, m.entity_id), CASE WHEN m.entity_id IS NULL THEN m.normal END) g) t
WHERE t.place <= %(limit)s ORDER BY t.kind, t.place

-- name: list_same_mentions
-- Returns the mentions in a document that name this entity, or that have the same entity or value as this mention.
WITH asked AS (
    SELECT coalesce(e.merged_into, e.id) AS root, NULL AS kind, NULL AS normal
    FROM entities e WHERE e.id = %(entity_id)s
    UNION ALL
    SELECT coalesce(e.merged_into, m.entity_id), m.kind, m.normal
    FROM mentions m LEFT JOIN entities e ON e.id = m.entity_id
    WHERE m.id = %(mention_id)s AND m.document_id = %(document_id)s
)
SELECT m.id, m.document_id, d.name AS document_name, d.title, m.kind, m.page, m.start_offset AS start,
    m.end_offset AS "end", m.text, m.normal, m.confidence, m.source, m.state, m.of_field AS field,
    coalesce(e.merged_into, e.id) AS entity_id, family_name(coalesce(e.merged_into, e.id)) AS entity_name
FROM asked a JOIN mentions m ON m.document_id = %(document_id)s JOIN documents d ON d.id = m.document_id
LEFT JOIN entities e ON e.id = m.entity_id
WHERE coalesce(e.merged_into, e.id) = a.root
    OR a.root IS NULL AND m.entity_id IS NULL AND m.kind = a.kind AND m.normal = a.normal
ORDER BY m.page, m.start_offset, m.end_offset, m.id LIMIT %(limit)s

-- name: list_entity_relations
-- Returns the relations of these entities: confirmed ones first, rejected ones last, then by confidence.
SELECT r.id, r.type, coalesce(f.merged_into, f.id) AS from_id, f.kind AS from_kind,
    family_name(coalesce(f.merged_into, f.id)) AS from_name, coalesce(t.merged_into, t.id) AS to_id, t.kind AS to_kind,
    coalesce(family_name(coalesce(t.merged_into, t.id)), o.title, o.name) AS to_name, r.to_document, r.document_id,
    d.name AS document_name, r.page, r.start_offset AS start, r.end_offset AS "end", r.confidence, r.state
FROM (
    SELECT r.* FROM relations r WHERE r.from_entity = ANY (%(ids)s)
    UNION SELECT r.* FROM relations r WHERE r.to_entity = ANY (%(ids)s)) r
JOIN entities f ON f.id = r.from_entity LEFT JOIN entities t ON t.id = r.to_entity
LEFT JOIN documents o ON o.id = r.to_document
JOIN documents d ON d.id = r.document_id AND d.deleted_at IS NULL
ORDER BY r.state = 'confirmed' DESC, r.state = 'rejected', r.confidence DESC, r.id LIMIT %(limit)s

-- name: list_document_relations
-- Returns the relations of a document or of one page, in reading order.
SELECT r.id, r.type, coalesce(f.merged_into, f.id) AS from_id, f.kind AS from_kind,
    family_name(coalesce(f.merged_into, f.id)) AS from_name, coalesce(t.merged_into, t.id) AS to_id, t.kind AS to_kind,
    coalesce(family_name(coalesce(t.merged_into, t.id)), o.title, o.name) AS to_name, r.to_document, r.document_id,
    d.name AS document_name, r.page, r.start_offset AS start, r.end_offset AS "end", r.confidence, r.state
FROM relations r JOIN entities f ON f.id = r.from_entity LEFT JOIN entities t ON t.id = r.to_entity
LEFT JOIN documents o ON o.id = r.to_document JOIN documents d ON d.id = r.document_id
WHERE r.document_id = %(document_id)s AND (%(page)s::integer IS NULL OR r.page = %(page)s)
ORDER BY r.page, r.start_offset, r.end_offset, r.type, r.id LIMIT %(limit)s

-- name: list_specific_relations
-- Returns the relations of a document except those of type mentioned_with, in reading order.
SELECT r.id, r.type, coalesce(f.merged_into, f.id) AS from_id, f.kind AS from_kind,
    family_name(coalesce(f.merged_into, f.id)) AS from_name, coalesce(t.merged_into, t.id) AS to_id, t.kind AS to_kind,
    coalesce(family_name(coalesce(t.merged_into, t.id)), o.title, o.name) AS to_name, r.to_document, r.document_id,
    d.name AS document_name, r.page, r.start_offset AS start, r.end_offset AS "end", r.confidence, r.state
FROM relations r JOIN entities f ON f.id = r.from_entity LEFT JOIN entities t ON t.id = r.to_entity
LEFT JOIN documents o ON o.id = r.to_document JOIN documents d ON d.id = r.document_id
WHERE r.document_id = %(document_id)s AND r.type <> 'mentioned_with'
ORDER BY r.page, r.start_offset, r.end_offset, r.type, r.id LIMIT %(limit)s

-- name: decide_mention
-- Sets the state of a mention, and notifies open pages of its document.
UPDATE mentions SET state = %(state)s, decided_by = %(by)s,
    decided_at = CASE WHEN %(state)s <> 'unconfirmed' THEN clock_timestamp() END
WHERE id = %(id)s RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || document_id)

-- name: decide_relation
-- Sets the state of a relation, and notifies open pages of its document.
UPDATE relations SET state = %(state)s, decided_by = %(by)s,
    decided_at = CASE WHEN %(state)s <> 'unconfirmed' THEN clock_timestamp() END
WHERE id = %(id)s RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || document_id)

-- name: all_entities
-- Returns all entities of a workspace, for an export.
SELECT e.id, e.kind, e.key, e.name, e.merged_into FROM entities e
WHERE e.workspace_id = %(workspace_id)s ORDER BY e.kind, e.key COLLATE "C", e.id

-- name: all_relations
-- Returns all relations of a workspace that are not rejected, for an export.
SELECT r.id, r.type, r.from_entity AS from_id, r.to_entity AS to_id, r.to_document, r.document_id,
    r.page, r.start_offset AS start, r.end_offset AS "end", r.confidence, r.state
FROM relations r JOIN documents d ON d.id = r.document_id AND d.deleted_at IS NULL
WHERE r.workspace_id = %(workspace_id)s AND r.state <> 'rejected' ORDER BY r.id

-- name: list_related_documents
-- Returns all documents of a workspace that have relations, for an export.
SELECT d.id, d.name, d.title, d.type FROM documents d
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL
    AND EXISTS (SELECT FROM relations r WHERE r.document_id = d.id) ORDER BY d.seq
