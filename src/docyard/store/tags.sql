-- name: list_recent_tags
-- Returns the tags that users added to the newest documents, in the registry's spelling.
SELECT DISTINCT t.name, t.key FROM (
    SELECT d.tags FROM documents d WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL
    ORDER BY d.seq DESC LIMIT %(documents)s) d
CROSS JOIN LATERAL unnest(tag_keys(d.tags)) AS k (key)
JOIN tags t ON t.workspace_id = %(workspace_id)s AND t.key = k.key ORDER BY t.key LIMIT %(limit)s

-- name: delete_unused_tags
-- Checks some tags that were not checked for this many seconds, and removes those that no document has.
SELECT seen, gone FROM forget_unused_tags(%(limit)s, make_interval(secs => %(rested)s))

-- name: list_unembedded_of_document
-- Returns tags of a document that have no vector of this model.
SELECT t.id, t.name FROM documents d CROSS JOIN LATERAL unnest(tag_keys(d.tags || d.found_tags)) AS k (key)
JOIN tags t ON t.workspace_id = d.workspace_id AND t.key = k.key
WHERE d.id = %(document_id)s
    AND NOT EXISTS (SELECT FROM tag_embeddings e WHERE e.tag_id = t.id AND e.model = %(model)s)
ORDER BY t.id LIMIT %(limit)s

-- name: list_unembedded_of_workspace
-- Returns tags of a workspace that have no vector of this model.
SELECT t.id, t.name FROM tags t
WHERE t.workspace_id = %(workspace_id)s
    AND NOT EXISTS (SELECT FROM tag_embeddings e WHERE e.tag_id = t.id AND e.model = %(model)s)
ORDER BY t.id LIMIT %(limit)s

-- name: list_workspaces_to_embed
-- Returns workspaces that have tags without a vector of this model, unless they have an embed
-- job, or a dead letter of an embed job without a document.
SELECT t.workspace_id FROM (
    SELECT DISTINCT t.workspace_id FROM tags t
    WHERE NOT EXISTS (SELECT FROM tag_embeddings e WHERE e.tag_id = t.id AND e.model = %(model)s)) t
WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.workspace_id = t.workspace_id AND j.pool = 'embed')
    AND NOT EXISTS (
        SELECT FROM dead_letters l WHERE l.workspace_id = t.workspace_id AND l.pool = 'embed' AND l.document_id IS NULL)
ORDER BY t.workspace_id LIMIT %(limit)s

-- name: save_embeddings
-- Saves vectors of tags that still exist, replacing those of other models.
WITH given AS (
    SELECT g.tag_id, g.vector, t.workspace_id FROM unnest(%(tags)s::bigint[], %(vectors)s::text[]) AS g (tag_id, vector)
    JOIN tags t ON t.id = g.tag_id FOR KEY SHARE OF t
), replaced AS (
    DELETE FROM tag_embeddings e USING given g WHERE e.tag_id = g.tag_id AND e.model <> %(model)s
)
INSERT INTO tag_embeddings (tag_id, model, workspace_id, vector)
SELECT tag_id, %(model)s, workspace_id, vector::halfvec FROM given ORDER BY tag_id
ON CONFLICT (tag_id, model) DO NOTHING
