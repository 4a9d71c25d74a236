-- name: folder_named
-- The folder of a workspace that is called so, in capitals or not.
SELECT id FROM folders WHERE workspace_id = %(workspace_id)s AND key = lower(%(name)s)

-- name: add_folder
-- Makes a folder, unless there is one of that name.
INSERT INTO folders (workspace_id, name) VALUES (%(workspace_id)s, %(name)s)
ON CONFLICT (workspace_id, key) DO NOTHING RETURNING id

-- name: list_folders
-- The folders of a workspace by name, with how many documents are in each.
SELECT f.id, f.name, f.created_at, (
    SELECT count(*) FROM documents d WHERE d.folder_id = f.id AND d.deleted_at IS NULL) AS documents
FROM folders f WHERE f.workspace_id = %(workspace_id)s ORDER BY f.key

-- name: folder_names
-- The names of the folders of a workspace, in order.
SELECT name FROM folders WHERE workspace_id = %(workspace_id)s ORDER BY key LIMIT %(most)s

-- name: rename_folder
-- Gives a folder another name.
UPDATE folders SET name = %(name)s WHERE workspace_id = %(workspace_id)s AND id = %(id)s RETURNING id

-- name: remove_folder
-- Removes a folder; its documents are in none afterwards.
DELETE FROM folders WHERE workspace_id = %(workspace_id)s AND id = %(id)s RETURNING id

-- name: move_document
-- Puts a document into a folder, or into none.
UPDATE documents SET folder_id = %(folder_id)s, updated_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)
