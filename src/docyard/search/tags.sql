-- name: most_used
-- Returns the most used tags of the workspace.
SELECT t.name, u.documents, NULL::float8 AS closeness FROM (
    SELECT k.key, count(*) AS documents
    FROM documents d CROSS JOIN LATERAL unnest(tag_keys(d.tags || d.found_tags)) AS k (key)
    WHERE d.workspace_id = current_workspace() AND d.deleted_at IS NULL GROUP BY k.key) u
JOIN tags t ON t.workspace_id = current_workspace() AND t.key = u.key
ORDER BY u.documents DESC, t.key LIMIT %(limit)s

-- name: nearest
-- Returns the tags nearest to a vector, nearest first, without those that no document has.
SELECT n.name, c.documents, 1 - n.distance AS closeness
FROM nearest_tags(%(model)s::smallint, %(vector)s, %(looked_at)s, %(exact_up_to)s) n
CROSS JOIN LATERAL count_tagged(n.key, %(up_to)s) AS c (documents)
WHERE n.distance <= %(farthest)s AND c.documents > 0 ORDER BY n.distance, n.key LIMIT %(limit)s

-- name: named
-- Returns tags with a word that starts with one of the query words: first the exact name, then names that start with the
-- query, then other names; shorter names come first.
SELECT t.name, c.documents, NULL::float8 AS closeness FROM (
    SELECT t.name, t.key FROM tags t
    WHERE t.workspace_id = current_workspace()
        AND EXISTS (SELECT FROM unnest(%(words)s::text[]) AS w (word) WHERE strpos(' ' || t.key, ' ' || lower(w.word)) > 0)
    ORDER BY t.key = tag_key(%(typed)s) DESC, starts_with(t.key, tag_key(%(typed)s)) DESC, length(t.key), t.key
    LIMIT %(looked_at)s) t
CROSS JOIN LATERAL count_tagged(t.key, %(up_to)s) AS c (documents)
WHERE c.documents > 0
ORDER BY t.key = tag_key(%(typed)s) DESC, starts_with(t.key, tag_key(%(typed)s)) DESC, length(t.key), t.key
LIMIT %(limit)s
