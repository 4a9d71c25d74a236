-- name: kinds_of
-- Returns the workspace and kind of each of these entities that exists.
SELECT id, workspace_id, kind FROM entities WHERE id = ANY (%(ids)s)

-- name: add_merge
-- Saves a proposal to merge two entities; an existing proposal or decision is kept.
INSERT INTO entity_merges (workspace_id, kind, one, other, reason, score)
VALUES (%(workspace_id)s, %(kind)s, least(%(one)s::uuid, %(other)s::uuid), greatest(%(one)s::uuid, %(other)s::uuid),
    %(reason)s, %(score)s)
ON CONFLICT (one, other) DO NOTHING
RETURNING one

-- name: propose_merges
-- Saves proposals to merge pairs of entities; existing proposals and decisions are kept.
INSERT INTO entity_merges (workspace_id, kind, one, other, reason, score)
SELECT p.workspace_id, p.kind, least(p.one, p.other), greatest(p.one, p.other), p.reason, p.score
FROM unnest(%(workspace_id)s::uuid[], %(kind)s::text[], %(one)s::uuid[], %(other)s::uuid[], %(reason)s::text[],
    %(score)s::float8[]) AS p (workspace_id, kind, one, other, reason, score)
ORDER BY 3, 4
ON CONFLICT (one, other) DO NOTHING
RETURNING one

-- name: decide_merge
-- Records a user's decision on a merge.
UPDATE entity_merges SET state = %(state)s, decided_by = %(by)s, decided_at = clock_timestamp()
WHERE one = least(%(one)s::uuid, %(other)s::uuid) AND other = greatest(%(one)s::uuid, %(other)s::uuid)

-- name: undo_merge
-- Reverts the decision on a proposed merge.
UPDATE entity_merges SET state = 'proposed', decided_by = NULL, decided_at = NULL
WHERE one = least(%(one)s::uuid, %(other)s::uuid) AND other = greatest(%(one)s::uuid, %(other)s::uuid)
    AND score IS NOT NULL AND state <> 'proposed'
RETURNING one

-- name: forget_merge
-- Deletes a decision that a user made without a proposal.
DELETE FROM entity_merges
WHERE one = least(%(one)s::uuid, %(other)s::uuid) AND other = greatest(%(one)s::uuid, %(other)s::uuid)
    AND score IS NULL
RETURNING one

-- name: list_proposals
-- Returns undecided proposals, most similar first.
SELECT m.one, m.other, m.kind, m.reason, m.score, m.state, m.decided_by, m.decided_at, a.name AS one_name,
    b.name AS other_name
FROM entity_merges m JOIN entities a ON a.id = m.one JOIN entities b ON b.id = m.other
WHERE m.workspace_id = %(workspace_id)s AND m.state = 'proposed'
ORDER BY m.score DESC NULLS LAST, m.one, m.other LIMIT %(limit)s

-- name: list_merges
-- Returns all merges of these entities, undecided ones first.
SELECT m.one, m.other, m.kind, m.reason, m.score, m.state, m.decided_by, m.decided_at, a.name AS one_name,
    b.name AS other_name
FROM entity_merges m JOIN entities a ON a.id = m.one JOIN entities b ON b.id = m.other
WHERE m.one = ANY (%(ids)s) OR m.other = ANY (%(ids)s)
ORDER BY m.state = 'proposed' DESC, m.score DESC NULLS LAST, m.one, m.other LIMIT %(limit)s
