-- name: save_rendition
-- Remembers a rendition, such as a page image; the first one made stays.
INSERT INTO renditions (document_id, workspace_id, kind, page, blob_key, media_type)
VALUES (%(document_id)s, %(workspace_id)s, %(kind)s, %(page)s, %(blob_key)s, %(media_type)s)
ON CONFLICT DO NOTHING

-- name: find_rendition
-- The key of a rendition, if it was made before.
SELECT blob_key FROM renditions WHERE document_id = %(document_id)s AND kind = %(kind)s AND page = %(page)s
