-- name: list_fields
-- Returns all fields of a document with users' decisions, sorted by name and then in reading order.
SELECT name, value, normal, confidence, source, page, start_offset AS start, end_offset AS "end", id, state, decided_by,
    decided_at, corrects
FROM field_values WHERE document_id = %(document_id)s ORDER BY name, ordinal, id

-- name: get_field
-- Locks and returns one field.
SELECT document_id, workspace_id, name, ordinal, normal, source, state FROM field_values WHERE id = %(id)s FOR UPDATE

-- name: get_field_document
-- Returns the document of a field.
SELECT document_id FROM field_values WHERE id = %(id)s

-- name: field_alike
-- Returns the field of a document with this name and normal form, preferably one that is not rejected.
SELECT id FROM field_values WHERE document_id = %(document_id)s AND name = %(name)s AND normal = %(normal)s
ORDER BY state = 'rejected', id LIMIT 1

-- name: add_field
-- Adds a user's value as the last value of a field, and notifies open pages of the document.
INSERT INTO field_values (document_id, workspace_id, name, ordinal, value, normal, number, day, confidence, source,
    page, start_offset, end_offset, state, decided_by, decided_at)
SELECT %(document_id)s, %(workspace_id)s, %(name)s, coalesce(max(f.ordinal) + 1, 0), %(value)s, %(normal)s, %(number)s,
    %(day)s, 1, 'person', %(page)s, %(start)s, %(end)s, 'confirmed', %(by)s, clock_timestamp()
FROM field_values f WHERE f.document_id = %(document_id)s AND f.name = %(name)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || document_id)

-- name: decide_field
-- Sets the state of a field and of the mention made from it, and notifies open pages of the document.
WITH decided AS (
    UPDATE field_values SET state = %(state)s,
        decided_by = CASE WHEN state = %(state)s THEN decided_by ELSE %(by)s END,
        decided_at = CASE WHEN state = %(state)s THEN decided_at
            WHEN %(state)s <> 'unconfirmed' THEN clock_timestamp() END
    WHERE id = %(id)s RETURNING *
), followed AS (
    UPDATE mentions m SET state = f.state, decided_by = f.decided_by, decided_at = f.decided_at FROM decided f
    WHERE m.document_id = f.document_id AND m.of_field = f.name
        AND (m.page, m.start_offset, m.end_offset) = (f.page, f.start_offset, f.end_offset)
)
SELECT f.id, pg_notify('docyard_documents', f.workspace_id || ':' || f.document_id) FROM decided f

-- name: take_back
-- Deletes a user's value; the extracted value that it replaced becomes unconfirmed.
WITH gone AS (
    DELETE FROM field_values WHERE id = %(id)s AND source = 'person' RETURNING workspace_id, document_id, corrects
), opened AS (
    UPDATE field_values f SET state = 'unconfirmed', decided_by = NULL, decided_at = NULL FROM gone g
    WHERE f.id = g.corrects AND f.source <> 'person'
)
SELECT pg_notify('docyard_documents', g.workspace_id || ':' || g.document_id) FROM gone g

-- name: give_field
-- Saves a user's value that replaces an extracted one; a later value overwrites an earlier one.
INSERT INTO field_values AS f (document_id, workspace_id, name, ordinal, value, normal, number, day, confidence, source,
    state, decided_by, decided_at, corrects)
VALUES (%(document_id)s, %(workspace_id)s, %(name)s, %(ordinal)s, %(value)s, %(normal)s, %(number)s, %(day)s, 1, 'person',
    'confirmed', %(by)s, clock_timestamp(), %(id)s)
ON CONFLICT (corrects) DO UPDATE SET value = excluded.value, normal = excluded.normal, number = excluded.number,
    day = excluded.day, state = 'confirmed', decided_by = excluded.decided_by, decided_at = excluded.decided_at

-- name: change_given
-- Changes a user's value; the span is cleared, because it is the span of the previous value.
UPDATE field_values SET value = %(value)s, normal = %(normal)s, number = %(number)s, day = %(day)s, state = 'confirmed',
    page = NULL, start_offset = NULL, end_offset = NULL, decided_by = %(by)s, decided_at = clock_timestamp()
WHERE id = %(id)s RETURNING pg_notify('docyard_documents', workspace_id || ':' || document_id)
