-- name: most_used
-- The tags that most documents of the workspace have.
SELECT t.name, u.documents, NULL::float8 AS closeness FROM (
    SELECT k.key, count(*) AS documents
    FROM documents d CROSS JOIN LATERAL unnest(tag_keys(d.tags || d.found_tags)) AS k (key)
    WHERE d.workspace_id = current_workspace() AND d.deleted_at IS NULL GROUP BY k.key) u
JOIN tags t ON t.workspace_id = current_workspace() AND t.key = u.key
ORDER BY u.documents DESC, t.key LIMIT %(most)s

-- name: nearest
-- Tags that mean nearly the same, nearest first; those that no document has any more are left out.
SELECT n.name, c.documents, 1 - n.distance AS closeness
FROM nearest_tags(%(model)s::smallint, %(vector)s, %(looked_at)s, %(exact_up_to)s) n
CROSS JOIN LATERAL count_tagged(n.key, %(up_to)s) AS c (documents)
WHERE n.distance <= %(farthest)s AND c.documents > 0 ORDER BY n.distance, n.key LIMIT %(most)s

-- name: named
-- Tags in whose names one of the words begins a word: the whole name first, then its beginning, then the shortest.
SELECT t.name, c.documents, NULL::float8 AS closeness FROM (
    SELECT t.name, t.key FROM tags t
    WHERE t.workspace_id = current_workspace()
        AND EXISTS (SELECT FROM unnest(%(words)s::text[]) AS w (word) WHERE strpos(' ' || t.key, ' ' || lower(w.word)) > 0)
    ORDER BY t.key = tag_key(%(typed)s) DESC, starts_with(t.key, tag_key(%(typed)s)) DESC, length(t.key), t.key
    LIMIT %(looked_at)s) t
CROSS JOIN LATERAL count_tagged(t.key, %(up_to)s) AS c (documents)
WHERE c.documents > 0
ORDER BY t.key = tag_key(%(typed)s) DESC, starts_with(t.key, tag_key(%(typed)s)) DESC, length(t.key), t.key
LIMIT %(most)s
