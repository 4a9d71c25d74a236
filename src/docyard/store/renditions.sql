-- name: save_rendition
-- Records a rendition, such as a page image; an existing one is kept.
INSERT INTO renditions (document_id, workspace_id, kind, page, blob_key, media_type)
VALUES (%(document_id)s, %(workspace_id)s, %(kind)s, %(page)s, %(blob_key)s, %(media_type)s)
ON CONFLICT DO NOTHING

-- name: find_rendition
-- Returns the blob key of an existing rendition.
SELECT blob_key FROM renditions WHERE document_id = %(document_id)s AND kind = %(kind)s AND page = %(page)s
