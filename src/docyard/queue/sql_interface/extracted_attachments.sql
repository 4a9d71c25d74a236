-- Documents attached to an external entity, with their text, their entities, and the time of extraction.

CREATE OR REPLACE VIEW extracted_attachments WITH (security_invoker = true) AS
SELECT d.id AS attachment_id, d.workspace_id AS yacht_id, d.entity_type, d.entity_id, d.name AS file_name,
    (SELECT string_agg(p.text, E'\n' ORDER BY p.number) FROM pages p WHERE p.document_id = d.id) AS related_text,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'kind', x.kind, 'name', x.name, 'mentions', x.mentions)
        ORDER BY x.kind, x.name, x.id), '[]')
     FROM (SELECT e.id, e.kind, e.name, count(*) AS mentions FROM mentions m JOIN entities e ON e.id = m.entity_id
           WHERE m.document_id = d.id AND m.state <> 'rejected' GROUP BY e.id) x) AS entities_extracted,
    (SELECT max(r.finished_at) FROM stage_results r JOIN pools p ON p.pool = r.stage
     WHERE r.document_id = d.id AND r.outcome = 'done' AND p.gives = 'CanonicalMentions') AS extraction_completed_at
FROM documents d WHERE d.entity_type IS NOT NULL AND d.deleted_at IS NULL;

GRANT SELECT ON extracted_attachments TO docyard_web;

COMMENT ON VIEW extracted_attachments IS
    'Text and entities of each document that is attached to an external entity. Read only.';
COMMENT ON COLUMN extracted_attachments.attachment_id IS 'Id of the document.';
COMMENT ON COLUMN extracted_attachments.yacht_id IS 'Workspace of the document.';
COMMENT ON COLUMN extracted_attachments.entity_type IS 'Type of the external entity, such as work_order.';
COMMENT ON COLUMN extracted_attachments.entity_id IS 'Id of that entity.';
COMMENT ON COLUMN extracted_attachments.file_name IS 'Name of the file.';
COMMENT ON COLUMN extracted_attachments.related_text IS 'Text of all pages.';
COMMENT ON COLUMN extracted_attachments.entities_extracted IS
    'JSON array of the entities with id, kind, name and number of mentions.';
COMMENT ON COLUMN extracted_attachments.extraction_completed_at IS 'Time when the entities were found; NULL until then.';
