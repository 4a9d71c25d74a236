-- name: uncompared
-- Entities that have changed since they were compared with others.
SELECT id, xmin::text AS version FROM entities
WHERE compared_at IS NULL AND kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part')
ORDER BY id LIMIT %(most)s

-- name: mark_compared
-- Notes that entities were compared, but for those that changed meanwhile.
UPDATE entities e SET compared_at = clock_timestamp()
FROM unnest(%(ids)s::uuid[], %(versions)s::text[]) AS g (id, version) WHERE e.id = g.id AND e.xmin::text = g.version

-- name: prefer_indexes
-- Whatever the planner believes of a table it has not seen, each question reaches few entities.
SELECT set_config('enable_seqscan', 'off', true)

-- name: candidates
-- For each entity those that have most in common with it; what too many have in common says nothing and costs nothing.
SELECT e.id AS one, e.kind, e.workspace_id, e.key AS one_key, c.id AS other, c.key AS other_key
FROM unnest(%(ids)s::uuid[]) AS w (id) JOIN entities e ON e.id = w.id CROSS JOIN LATERAL (
    SELECT f.id FROM unnest(entity_grams(e.workspace_id, e.kind, e.key)) AS g (gram) CROSS JOIN LATERAL (
        SELECT array_agg(x.id) AS ids FROM (
            SELECT c.id FROM entities c
            WHERE c.kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part')
                AND entity_grams(c.workspace_id, c.kind, c.key) @> ARRAY[g.gram] LIMIT %(common)s + 1) x) p
    CROSS JOIN LATERAL unnest(p.ids) AS f (id)
    WHERE cardinality(p.ids) <= %(common)s AND f.id <> e.id
    GROUP BY f.id ORDER BY count(*) DESC, f.id LIMIT %(most)s) k
JOIN entities c ON c.id = k.id AND c.workspace_id = e.workspace_id AND c.kind = e.kind
WHERE coalesce(c.merged_into, c.id) <> coalesce(e.merged_into, e.id)
    AND NOT EXISTS (SELECT FROM entity_merges g WHERE g.one = least(e.id, c.id) AND g.other = greatest(e.id, c.id))

-- name: signals
-- What else speaks for two entities being one: the same number or address beside both, one document, a third entity.
SELECT p.one, p.other, s.what, s.name
FROM unnest(%(ones)s::uuid[], %(others)s::uuid[]) AS p (one, other) CROSS JOIN LATERAL (
    WITH near_one AS MATERIALIZED (
        SELECT DISTINCT m.document_id FROM (
            SELECT m.document_id FROM mentions m WHERE m.entity_id = p.one AND m.state <> 'rejected'
            ORDER BY m.id DESC LIMIT 200) m LIMIT 20),
    near_other AS MATERIALIZED (
        SELECT DISTINCT m.document_id FROM (
            SELECT m.document_id FROM mentions m WHERE m.entity_id = p.other AND m.state <> 'rejected'
            ORDER BY m.id DESC LIMIT 200) m LIMIT 20),
    beside AS MATERIALIZED (
        SELECT n.id, n.kind, n.key, n.name FROM entities n WHERE n.id NOT IN (p.one, p.other) AND n.id IN (
            SELECT m.entity_id FROM near_one a JOIN mentions m ON m.document_id = a.document_id
            WHERE m.kind = ANY (%(telling)s) AND m.state <> 'rejected')),
    also AS MATERIALIZED (
        SELECT n.id, n.kind, n.key, n.name FROM entities n WHERE n.id NOT IN (p.one, p.other) AND n.id IN (
            SELECT m.entity_id FROM near_other b JOIN mentions m ON m.document_id = b.document_id
            WHERE m.kind = ANY (%(telling)s) AND m.state <> 'rejected'))
    SELECT t.rank, t.what, t.name FROM (
        SELECT array_position(%(telling)s, x.kind) AS rank, x.kind AS what, x.name
        FROM beside x JOIN also y ON y.id = x.id
        -- What many documents mention, such as one's own company, tells nothing.
        WHERE (SELECT count(DISTINCT m.document_id) FROM (
            SELECT m.document_id FROM mentions m WHERE m.entity_id = x.id ORDER BY m.id DESC LIMIT 200) m) <= 20
        UNION ALL
        SELECT 50, 'document', d.name FROM near_one a JOIN near_other b ON b.document_id = a.document_id
        JOIN documents d ON d.id = a.document_id
        UNION ALL
        SELECT 40, 'domain', split_part(x.key, '@', 2) FROM beside x JOIN also y
            ON y.kind = 'email' AND split_part(y.key, '@', 2) = split_part(x.key, '@', 2)
        WHERE x.kind = 'email' AND split_part(x.key, '@', 2) <> ALL (%(public_domains)s)) t
    ORDER BY t.rank, t.name COLLATE "C" LIMIT 1) s
