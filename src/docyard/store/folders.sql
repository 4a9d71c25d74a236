-- name: folder_named
-- Returns the folder of a workspace with this name, ignoring case.
SELECT id FROM folders WHERE workspace_id = %(workspace_id)s AND key = lower(%(name)s)

-- name: add_folder
-- Adds a folder unless one with this name exists.
INSERT INTO folders (workspace_id, name) VALUES (%(workspace_id)s, %(name)s)
ON CONFLICT (workspace_id, key) DO NOTHING RETURNING id

-- name: list_folders
-- Returns the folders of a workspace, sorted by name, with the number of documents in each.
SELECT f.id, f.name, f.created_at, (
    SELECT count(*) FROM documents d WHERE d.folder_id = f.id AND d.deleted_at IS NULL) AS documents
FROM folders f WHERE f.workspace_id = %(workspace_id)s ORDER BY f.key

-- name: folder_names
-- Returns the names of the folders of a workspace, sorted.
SELECT name FROM folders WHERE workspace_id = %(workspace_id)s ORDER BY key LIMIT %(limit)s

-- name: rename_folder
-- Renames a folder.
UPDATE folders SET name = %(name)s WHERE workspace_id = %(workspace_id)s AND id = %(id)s RETURNING id

-- name: remove_folder
-- Removes a folder; its documents are kept without a folder.
DELETE FROM folders WHERE workspace_id = %(workspace_id)s AND id = %(id)s RETURNING id

-- name: move_document
-- Moves a document to a folder, or out of its folder.
UPDATE documents SET folder_id = %(folder_id)s, updated_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)
