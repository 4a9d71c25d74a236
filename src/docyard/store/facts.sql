-- name: lock_entities
-- Serialises changes to a workspace's entities, so that transactions that write the same entities cannot deadlock.
SELECT pg_advisory_xact_lock(1685285999, hashtext(%(workspace_id)s::text))

-- name: drop_fields
-- Deletes undecided fields that were not found again, or that match a field which a user decided on.
DELETE FROM field_values f
WHERE f.document_id = %(document_id)s AND f.state = 'unconfirmed' AND (NOT EXISTS (
    SELECT FROM unnest(%(names)s::text[], %(values)s::text[], %(normals)s::text[], %(pages)s::integer[],
        %(starts)s::integer[], %(ends)s::integer[]) AS g (name, value, normal, page, first, last)
    WHERE (g.name, g.value, g.normal) = (f.name, f.value, f.normal)
        AND (g.page, g.first, g.last) IS NOT DISTINCT FROM (f.page, f.start_offset, f.end_offset))
    OR EXISTS (
        SELECT FROM field_values s WHERE s.document_id = f.document_id AND s.name = f.name AND s.state <> 'unconfirmed'
            AND (s.normal = f.normal OR s.value = f.value AND (s.page, s.start_offset, s.end_offset)
                IS NOT DISTINCT FROM (f.page, f.start_offset, f.end_offset))))

-- name: unplace_fields
-- Clears the spans of decided fields if the text at the span is no longer their value.
UPDATE field_values f SET page = NULL, start_offset = NULL, end_offset = NULL
WHERE f.document_id = %(document_id)s AND f.state <> 'unconfirmed' AND f.page IS NOT NULL AND NOT EXISTS (
    SELECT FROM pages p WHERE p.document_id = f.document_id AND p.number = f.page
        AND substr(p.text, f.start_offset + 1, f.end_offset - f.start_offset) = f.value)

-- name: place_fields
-- Sets the missing spans of decided fields: each gets the span and value of the first found field with the same name and
-- normal form. Users' values are not changed.
UPDATE field_values f SET value = g.value, page = g.page, start_offset = g.first, end_offset = g.last
FROM (SELECT DISTINCT ON (u.name, u.normal) u.* FROM unnest(%(names)s::text[], %(values)s::text[], %(normals)s::text[],
        %(pages)s::integer[], %(starts)s::integer[], %(ends)s::integer[]) AS u (name, value, normal, page, first, last)
    WHERE u.page IS NOT NULL ORDER BY u.name, u.normal, u.page, u.first) g
WHERE f.document_id = %(document_id)s AND f.state <> 'unconfirmed' AND f.source <> 'person' AND f.page IS NULL
    AND (g.name, g.normal) = (f.name, f.normal)

-- name: keep_fields
-- Updates the undecided fields that were found again.
UPDATE field_values f SET ordinal = g.ordinal, confidence = g.confidence, source = g.source
FROM unnest(%(names)s::text[], %(ordinals)s::integer[], %(values)s::text[], %(normals)s::text[],
    %(confidences)s::real[], %(sources)s::text[], %(pages)s::integer[], %(starts)s::integer[], %(ends)s::integer[])
    AS g (name, ordinal, value, normal, confidence, source, page, first, last)
WHERE f.document_id = %(document_id)s AND f.state = 'unconfirmed'
    AND (g.name, g.value, g.normal) = (f.name, f.value, f.normal)
    AND (g.page, g.first, g.last) IS NOT DISTINCT FROM (f.page, f.start_offset, f.end_offset)

-- name: save_fields
-- Saves new fields, except those that match a decided field by normal form, or by value and span. Numbers and dates are
-- also saved in columns of these types, so that searches can compare them.
INSERT INTO field_values (document_id, workspace_id, name, ordinal, value, normal, number, day, confidence, source,
    page, start_offset, end_offset)
SELECT %(document_id)s, %(workspace_id)s, g.name, g.ordinal, g.value, g.normal, g.number, g.day, g.confidence, g.source,
    g.page, g.first, g.last
FROM unnest(%(names)s::text[], %(ordinals)s::integer[], %(values)s::text[], %(normals)s::text[], %(numbers)s::numeric[],
    %(days)s::date[], %(confidences)s::real[], %(sources)s::text[], %(pages)s::integer[], %(starts)s::integer[],
    %(ends)s::integer[]) AS g (name, ordinal, value, normal, number, day, confidence, source, page, first, last)
WHERE NOT EXISTS (
    SELECT FROM field_values f WHERE f.document_id = %(document_id)s AND f.name = g.name AND (
        f.state <> 'unconfirmed' AND f.normal = g.normal
        OR f.value = g.value AND (f.normal = g.normal OR f.state <> 'unconfirmed')
            AND (f.page, f.start_offset, f.end_offset) IS NOT DISTINCT FROM (g.page, g.first, g.last)))

-- name: load_fields
-- Returns the fields of a document that are not rejected, sorted by name and then in reading order.
SELECT name, value, normal, confidence, source, page, start_offset AS start, end_offset AS "end"
FROM field_values WHERE document_id = %(document_id)s AND state <> 'rejected' ORDER BY name, ordinal, id

-- name: drop_mentions
-- Deletes mentions that were not found again, except confirmed ones whose text is still at the same span.
DELETE FROM mentions m
WHERE m.document_id = %(document_id)s AND (m.of_field IS NOT NULL) = %(by_field)s
    AND NOT EXISTS (
        SELECT FROM unnest(%(kinds)s::text[], %(pages)s::integer[], %(starts)s::integer[], %(ends)s::integer[])
            AS g (kind, page, first, last)
        WHERE g.kind = m.kind AND g.page = m.page AND g.first = m.start_offset AND g.last = m.end_offset)
    AND NOT (m.state = 'confirmed' AND EXISTS (
        SELECT FROM pages p WHERE p.document_id = m.document_id AND p.number = m.page
            AND substr(p.text, m.start_offset + 1, m.end_offset - m.start_offset) = m.text))
RETURNING m.entity_id

-- name: save_mentions
-- Saves mentions; a user's decision on an existing one is kept if its text is unchanged.
INSERT INTO mentions AS m (document_id, workspace_id, kind, page, start_offset, end_offset, text, normal, confidence,
    source, of_field)
SELECT %(document_id)s, %(workspace_id)s, g.kind, g.page, g.first, g.last, g.text, g.normal, g.confidence, g.source,
    g.of_field
FROM unnest(%(kinds)s::text[], %(pages)s::integer[], %(starts)s::integer[], %(ends)s::integer[], %(texts)s::text[],
    %(normals)s::text[], %(confidences)s::real[], %(sources)s::text[], %(fields)s::text[])
    AS g (kind, page, first, last, text, normal, confidence, source, of_field)
ON CONFLICT (document_id, page, start_offset, end_offset, kind) DO UPDATE SET
    text = excluded.text, normal = excluded.normal, confidence = excluded.confidence, source = excluded.source,
    of_field = excluded.of_field,
    state = CASE WHEN m.text = excluded.text THEN m.state ELSE 'unconfirmed' END,
    decided_by = CASE WHEN m.text = excluded.text THEN m.decided_by END,
    decided_at = CASE WHEN m.text = excluded.text THEN m.decided_at END

-- name: load_mentions
-- Returns the mentions found in the text of a document in reading order; the key is '' for those without an entity.
SELECT m.kind, m.page, m.start_offset AS start, m.end_offset AS "end", m.text, m.normal, m.confidence, m.source,
    coalesce(e.key, '') AS key
FROM mentions m LEFT JOIN entities e ON e.id = m.entity_id
WHERE m.document_id = %(document_id)s AND m.of_field IS NULL
ORDER BY m.page, m.start_offset, m.end_offset, m.kind

-- name: keep_entities
-- Inserts the entities of a document; existing ones get the new name if it is better, and are compared again.
INSERT INTO entities AS e (id, workspace_id, kind, key, name)
SELECT g.id, %(workspace_id)s, g.kind, g.key, (array_agg(n.name ORDER BY
    n.name <> upper(n.name) AND n.name <> lower(n.name) DESC, char_length(n.name) DESC, n.name COLLATE "C" DESC))[1]
FROM unnest(%(ids)s::uuid[], %(kinds)s::text[], %(keys)s::text[], %(texts)s::text[]) AS g (id, kind, key, text)
CROSS JOIN LATERAL (SELECT shown_name(g.text) AS name) n
GROUP BY g.id, g.kind, g.key ORDER BY g.id
ON CONFLICT (id) DO UPDATE SET compared_at = NULL,
    name = CASE WHEN is_better_name(excluded.name, e.name) THEN excluded.name ELSE e.name END

-- name: link_mentions
-- Links each mention to its entity; returns the former entity of each mention whose link changed.
WITH given AS (
    SELECT m.id, m.entity_id AS before, g.entity_id AS now
    FROM unnest(%(kinds)s::text[], %(pages)s::integer[], %(starts)s::integer[], %(ends)s::integer[], %(ids)s::uuid[])
        AS g (kind, page, first, last, entity_id)
    JOIN mentions m ON m.document_id = %(document_id)s AND m.page = g.page AND m.start_offset = g.first
        AND m.end_offset = g.last AND m.kind = g.kind
    WHERE m.entity_id IS DISTINCT FROM g.entity_id
), linked AS (
    UPDATE mentions m SET entity_id = g.now FROM given g WHERE m.id = g.id
)
SELECT before AS entity_id FROM given

-- name: drop_relations
-- Deletes relations that were not found again, except confirmed ones.
DELETE FROM relations r
WHERE r.document_id = %(document_id)s AND r.state <> 'confirmed' AND NOT EXISTS (
    SELECT FROM unnest(%(types)s::text[], %(sources)s::uuid[], %(targets)s::uuid[], %(pages)s::integer[],
        %(starts)s::integer[], %(ends)s::integer[]) AS g (type, source, target, page, first, last)
    WHERE g.type = r.type AND g.source = r.from_entity AND g.target IS NOT DISTINCT FROM r.to_entity
        AND g.page = r.page AND g.first = r.start_offset AND g.last = r.end_offset)

-- name: save_relations
-- Saves relations; a user's decision on an existing one is kept.
INSERT INTO relations (document_id, workspace_id, type, from_entity, to_entity, to_document, page, start_offset,
    end_offset, confidence)
SELECT %(document_id)s, %(workspace_id)s, g.type, g.source, g.target,
    CASE WHEN g.target IS NULL THEN %(document_id)s::uuid END, g.page, g.first, g.last, g.confidence
FROM unnest(%(types)s::text[], %(sources)s::uuid[], %(targets)s::uuid[], %(pages)s::integer[], %(starts)s::integer[],
    %(ends)s::integer[], %(confidences)s::real[]) AS g (type, source, target, page, first, last, confidence)
ON CONFLICT ON CONSTRAINT relations_said_once DO UPDATE SET confidence = excluded.confidence

-- name: drop_facts
-- Deletes all facts of a document; returns the entities that it mentioned.
WITH fields AS (
    DELETE FROM field_values WHERE document_id = %(document_id)s
), related AS (
    DELETE FROM relations WHERE document_id = %(document_id)s
)
DELETE FROM mentions WHERE document_id = %(document_id)s RETURNING entity_id
