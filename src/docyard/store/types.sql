-- name: known_types
-- What a workspace made of the list of types, its own in the order of their names.
SELECT name, description, phrases, is_off, changed_by, changed_at FROM document_types
WHERE workspace_id = %(workspace_id)s ORDER BY name

-- name: lock_types
-- One change of a workspace's list at a time, so that one type is always left.
SELECT pg_advisory_xact_lock(hashtextextended('docyard types ' || %(workspace_id)s::text, 0))

-- name: save_type
-- Adds a type of the workspace's own, or describes it anew.
INSERT INTO document_types AS t (workspace_id, name, description, phrases, changed_by)
VALUES (%(workspace_id)s, %(name)s, %(description)s, %(phrases)s, %(by)s)
ON CONFLICT (workspace_id, name) DO UPDATE SET description = excluded.description, phrases = excluded.phrases,
    is_off = false, changed_by = excluded.changed_by, changed_at = now()

-- name: switch_off
-- Switches a type off.
INSERT INTO document_types AS t (workspace_id, name, is_off, changed_by) VALUES (%(workspace_id)s, %(name)s, true, %(by)s)
ON CONFLICT (workspace_id, name) DO UPDATE SET is_off = true, changed_by = excluded.changed_by, changed_at = now()

-- name: switch_own_on
-- Switches a type of the workspace's own on.
UPDATE document_types SET is_off = false, changed_by = %(by)s, changed_at = now()
WHERE workspace_id = %(workspace_id)s AND name = %(name)s AND is_off AND description IS NOT NULL

-- name: forget_type
-- Removes what a workspace said of a type.
DELETE FROM document_types WHERE workspace_id = %(workspace_id)s AND name = %(name)s
