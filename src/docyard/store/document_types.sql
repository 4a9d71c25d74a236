-- name: load_types
-- Returns the types that a workspace added or switched off, sorted by name.
SELECT name, description, phrases, is_off, changed_by, changed_at FROM document_types
WHERE workspace_id = %(workspace_id)s ORDER BY name

-- name: lock_types
-- Serialises changes to a workspace's types, so that at least one stays switched on.
SELECT pg_advisory_xact_lock(1685285998, hashtext(%(workspace_id)s::text))

-- name: save_type
-- Adds a type to a workspace, or changes its description and phrases, and switches it on.
INSERT INTO document_types AS t (workspace_id, name, description, phrases, changed_by)
VALUES (%(workspace_id)s, %(name)s, %(description)s, %(phrases)s, %(by)s)
ON CONFLICT (workspace_id, name) DO UPDATE SET description = excluded.description, phrases = excluded.phrases,
    is_off = false, changed_by = excluded.changed_by, changed_at = now()

-- name: switch_off
-- Switches a type off.
INSERT INTO document_types AS t (workspace_id, name, is_off, changed_by) VALUES (%(workspace_id)s, %(name)s, true, %(by)s)
ON CONFLICT (workspace_id, name) DO UPDATE SET is_off = true, changed_by = excluded.changed_by, changed_at = now()

-- name: switch_own_on
-- Switches on a type that the workspace added.
UPDATE document_types SET is_off = false, changed_by = %(by)s, changed_at = now()
WHERE workspace_id = %(workspace_id)s AND name = %(name)s AND is_off AND description IS NOT NULL

-- name: forget_type
-- Deletes the row of a type: an added type is removed, a built-in type is switched on again.
DELETE FROM document_types WHERE workspace_id = %(workspace_id)s AND name = %(name)s
