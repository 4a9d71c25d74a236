-- name: refresh_names
-- Replaces names that no mention uses any longer with the best remaining spelling.
UPDATE entities e SET name = (
    SELECT n.name FROM mentions m CROSS JOIN LATERAL (SELECT shown_name(m.text) AS name) n WHERE m.entity_id = e.id
    ORDER BY n.name <> upper(n.name) AND n.name <> lower(n.name) DESC, char_length(n.name) DESC, n.name COLLATE "C" DESC
    LIMIT 1)
WHERE e.id = ANY (%(ids)s) AND EXISTS (SELECT FROM mentions m WHERE m.entity_id = e.id)
    AND NOT EXISTS (SELECT FROM mentions m WHERE m.entity_id = e.id AND shown_name(m.text) = e.name)

-- name: orphans
-- Returns the entities in this list that have no mentions; entities with users' decisions only if `decided` is true.
SELECT e.id FROM entities e
WHERE e.id = ANY (%(ids)s) AND NOT EXISTS (SELECT FROM mentions m WHERE m.entity_id = e.id)
    AND (%(decided)s OR NOT (
        EXISTS (SELECT FROM entity_merges g WHERE g.one = e.id AND g.state <> 'proposed')
        OR EXISTS (SELECT FROM entity_merges g WHERE g.other = e.id AND g.state <> 'proposed')
        OR EXISTS (SELECT FROM relations r WHERE r.from_entity = e.id AND r.state <> 'unconfirmed')
        OR EXISTS (SELECT FROM relations r WHERE r.to_entity = e.id AND r.state <> 'unconfirmed')))

-- name: drop_merges
-- Deletes the merges of these entities; returns both entities of each.
DELETE FROM entity_merges WHERE one = ANY (%(ids)s) OR other = ANY (%(ids)s) RETURNING one, other

-- name: withdraw_proposals
-- Deletes proposals for these entities, so that the proposed pairs are compared again. Decided merges are kept, with a
-- neutral reason, because the original reason may quote a deleted document.
WITH forgotten AS (
    DELETE FROM entity_merges WHERE state = 'proposed' AND score IS NOT NULL AND (one = ANY (%(ids)s) OR other = ANY (%(ids)s))
    RETURNING one, other
), bared AS (
    UPDATE entity_merges SET reason = 'The names are similar.'
    WHERE state <> 'proposed' AND score IS NOT NULL AND (one = ANY (%(ids)s) OR other = ANY (%(ids)s))
)
UPDATE entities e SET compared_at = NULL FROM forgotten f WHERE e.id IN (f.one, f.other)

-- name: drop_entities
-- Deletes entities.
DELETE FROM entities WHERE id = ANY (%(ids)s)

-- name: recluster
-- Recomputes the clusters that confirmed merges form with these entities. merged_into is the lowest id in the cluster, or
-- NULL for the entity with that id.
WITH RECURSIVE reached (start, id) AS (
    SELECT s.id, s.id FROM unnest(%(ids)s::uuid[]) AS s (id)
    UNION
    SELECT r.start, n.id FROM reached r CROSS JOIN LATERAL (
        SELECT g.other FROM entity_merges g WHERE g.one = r.id AND g.state = 'confirmed'
        UNION ALL SELECT g.one FROM entity_merges g WHERE g.other = r.id AND g.state = 'confirmed') AS n (id)
), shown AS (
    SELECT DISTINCT r.id, first_value(r.id) OVER (PARTITION BY r.start ORDER BY r.id) AS root FROM reached r
)
UPDATE entities e SET merged_into = nullif(s.root, e.id) FROM shown s
WHERE e.id = s.id AND e.merged_into IS DISTINCT FROM nullif(s.root, e.id)
