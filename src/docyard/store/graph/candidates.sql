-- name: list_uncompared
-- Returns entities of these kinds that are new or have changed since they were last compared with others.
SELECT id, workspace_id, kind, key, xmin::text AS version FROM entities
WHERE compared_at IS NULL AND kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part')
ORDER BY id LIMIT %(limit)s

-- name: mark_compared
-- Marks entities as compared, except those that changed meanwhile.
UPDATE entities e SET compared_at = clock_timestamp()
FROM unnest(%(ids)s::uuid[], %(versions)s::text[]) AS g (id, version) WHERE e.id = g.id AND e.xmin::text = g.version

-- name: prefer_indexes
-- Makes the planner use indexes even if the tables were never analysed: each lookup returns few entities.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)

-- name: save_blocking_keys
-- Saves the blocks (hashes of blocking keys) of entities that still exist, for later comparisons.
INSERT INTO entity_blocks AS b (entity_id, blocks)
SELECT g.id, array_agg(g.block) FROM unnest(%(ids)s::uuid[], %(blocks)s::bigint[]) AS g (id, block)
WHERE g.id IN (SELECT e.id FROM entities e WHERE e.id = ANY (%(ids)s) FOR KEY SHARE)
GROUP BY g.id
ON CONFLICT (entity_id) DO UPDATE SET blocks = excluded.blocks WHERE b.blocks <> excluded.blocks

-- name: find_candidates
-- Pairs each entity with the entities that share the rarest blocks with it, and with its neighbours in key order. Blocks
-- shared by too many entities are ignored, and recorded in common_blocks so that they are not read again for 30 days.
WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::uuid[], %(blocks)s::bigint[], %(words)s::boolean[]) AS w (id, block, word)
), tried AS MATERIALIZED (
    SELECT DISTINCT w.block, e.workspace_id FROM wanted w JOIN entities e ON e.id = w.id
    WHERE NOT EXISTS (
        SELECT FROM common_blocks c WHERE c.block = w.block AND c.counted_at > now() - interval '30 days')
), found AS MATERIALIZED (
    SELECT t.block, t.workspace_id, m.ids FROM tried t CROSS JOIN LATERAL (
        SELECT array_agg(x.entity_id) AS ids FROM (
            SELECT b.entity_id FROM entity_blocks b WHERE b.blocks @> ARRAY[t.block] LIMIT %(common)s + 1) x) m
), noted AS (
    INSERT INTO common_blocks (block, workspace_id)
    SELECT f.block, f.workspace_id FROM found f WHERE cardinality(f.ids) > %(common)s
    ON CONFLICT (block) DO UPDATE SET counted_at = excluded.counted_at
), weighed AS (
    SELECT w.id AS one, x.id AS other, 1.0::real / cardinality(f.ids) AS weight, w.word, false AS near
    FROM wanted w JOIN found f ON f.block = w.block CROSS JOIN LATERAL unnest(f.ids) AS x (id)
    WHERE cardinality(f.ids) <= %(common)s AND x.id <> w.id
    UNION ALL
    SELECT e.id, n.id, 0, false, true
    FROM entities e CROSS JOIN LATERAL (
        (SELECT c.id FROM entities c WHERE c.workspace_id = e.workspace_id AND c.kind = e.kind AND c.key > e.key
        ORDER BY c.key LIMIT %(near)s)
        UNION ALL
        (SELECT c.id FROM entities c WHERE c.workspace_id = e.workspace_id AND c.kind = e.kind AND c.key < e.key
        ORDER BY c.key DESC LIMIT %(near)s)) n
    WHERE e.id IN (SELECT w.id FROM wanted w)
), ranked AS (
    SELECT p.one, p.other, bool_or(p.word) AS rare, bool_or(p.near) AS near,
        row_number() OVER (PARTITION BY p.one ORDER BY sum(p.weight) DESC, p.other) AS place
    FROM weighed p GROUP BY p.one, p.other
)
SELECT e.id AS one, e.kind, e.workspace_id, e.key AS one_key, c.id AS other, c.key AS other_key, r.rare
FROM ranked r JOIN entities e ON e.id = r.one
-- OFFSET 0 makes the planner fetch each entity by its id, even if the table was never analysed.
CROSS JOIN LATERAL (SELECT * FROM entities c WHERE c.id = r.other OFFSET 0) c
WHERE (r.place <= %(limit)s OR r.near) AND c.workspace_id = e.workspace_id AND c.kind = e.kind AND coalesce(c.merged_into, c.id) <> coalesce(e.merged_into, e.id)
    AND NOT EXISTS (SELECT FROM entity_merges g WHERE g.one = least(e.id, c.id) AND g.other = greatest(e.id, c.id))

-- name: find_signals
-- Returns the strongest signal that two entities are the same. Signals, strongest first: documents of both mention the
-- same third entity, such as a VAT number; they mention email addresses of the same domain; one document mentions both;
-- 'silence'. Silence means that nothing contradicts a merge. A contradiction is, for example, a VAT number in documents of
-- one entity and a different VAT number in documents of the other.
SELECT p.one, p.other, s.what, s.name
FROM unnest(%(ones)s::uuid[], %(others)s::uuid[]) AS p (one, other) CROSS JOIN LATERAL (
    WITH documents_of_one AS MATERIALIZED (
        SELECT DISTINCT m.document_id FROM (
            SELECT m.document_id FROM mentions m WHERE m.entity_id = p.one AND m.state <> 'rejected'
            ORDER BY m.id DESC LIMIT 200) m LIMIT 20),
    documents_of_other AS MATERIALIZED (
        SELECT DISTINCT m.document_id FROM (
            SELECT m.document_id FROM mentions m WHERE m.entity_id = p.other AND m.state <> 'rejected'
            ORDER BY m.id DESC LIMIT 200) m LIMIT 20),
    entities_with_one AS MATERIALIZED (
        SELECT n.id, n.kind, n.key, n.name FROM entities n WHERE n.id NOT IN (p.one, p.other) AND n.id IN (
            SELECT m.entity_id FROM documents_of_one a JOIN mentions m ON m.document_id = a.document_id
            WHERE m.kind = ANY (%(telling)s) AND m.state <> 'rejected')),
    entities_with_other AS MATERIALIZED (
        SELECT n.id, n.kind, n.key, n.name FROM entities n WHERE n.id NOT IN (p.one, p.other) AND n.id IN (
            SELECT m.entity_id FROM documents_of_other b JOIN mentions m ON m.document_id = b.document_id
            WHERE m.kind = ANY (%(telling)s) AND m.state <> 'rejected'))
    SELECT t.rank, t.what, t.name FROM (
        SELECT array_position(%(telling)s, x.kind) AS rank, x.kind AS what, x.name
        FROM entities_with_one x JOIN entities_with_other y ON y.id = x.id
        -- An entity that many documents mention, such as the user's own company, is not a signal.
        WHERE (SELECT count(DISTINCT m.document_id) FROM (
            SELECT m.document_id FROM mentions m WHERE m.entity_id = x.id ORDER BY m.id DESC LIMIT 200) m) <= 20
        UNION ALL
        SELECT 50, 'document', d.name FROM documents_of_one a JOIN documents_of_other b ON b.document_id = a.document_id
        JOIN documents d ON d.id = a.document_id
        UNION ALL
        SELECT 40, 'domain', split_part(x.key, '@', 2) FROM entities_with_one x JOIN entities_with_other y
            ON y.kind = 'email' AND split_part(y.key, '@', 2) = split_part(x.key, '@', 2)
        WHERE x.kind = 'email' AND split_part(x.key, '@', 2) <> ALL (%(public_domains)s)
        UNION ALL
        SELECT 60, 'silence', '' WHERE NOT EXISTS (
            SELECT FROM entities_with_one x JOIN entities_with_other y ON y.kind = x.kind WHERE x.kind = ANY (%(own)s))) t
    ORDER BY t.rank, t.name COLLATE "C" LIMIT 1) s
