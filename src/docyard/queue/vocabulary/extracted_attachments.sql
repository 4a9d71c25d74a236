-- Documents attached to an external entity, with their text, their entities, and the time of extraction.

CREATE OR REPLACE VIEW extracted_attachments WITH (security_invoker = true) AS
SELECT d.id AS attachment_id, d.workspace_id AS yacht_id, d.entity_type, d.entity_id, d.name AS file_name,
    (SELECT string_agg(p.text, E'\n' ORDER BY p.number) FROM pages p WHERE p.document_id = d.id) AS related_text,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'kind', x.kind, 'name', x.name, 'mentions', x.mentions)
        ORDER BY x.kind, x.name, x.id), '[]')
     FROM (SELECT e.id, e.kind, e.name, count(*) AS mentions FROM mentions m JOIN entities e ON e.id = m.entity_id
           WHERE m.document_id = d.id AND m.state <> 'rejected' GROUP BY e.id) x) AS entities_extracted,
    (SELECT max(r.finished_at) FROM stage_results r JOIN pools p ON p.pool = r.stage
     WHERE r.document_id = d.id AND r.outcome = 'done' AND p.gives = 'Canonicalised') AS extraction_completed_at
FROM documents d WHERE d.entity_type IS NOT NULL AND d.deleted_at IS NULL;

GRANT SELECT ON extracted_attachments TO docyard_web;
