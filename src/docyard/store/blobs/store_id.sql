-- name: find_store_id
-- Returns the id of the installation's blob store, if it is recorded.
SELECT id FROM blob_store

-- name: save_store_id
-- Records the id of the blob store, unless one is recorded; a concurrent transaction that records one is awaited.
INSERT INTO blob_store (id) VALUES (%(id)s) ON CONFLICT DO NOTHING RETURNING id

-- name: list_newest_keys
-- Returns the keys of the blobs that were stored last.
SELECT workspace_id || '/' || sha256 AS key FROM blobs ORDER BY created_at DESC LIMIT 20
