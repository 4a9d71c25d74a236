-- name: fold_text_changes
-- Adds recorded changes to the word counts.
SELECT fold_text_changes(%(limit)s) AS folded

-- name: delete_deleted_passages
-- Deletes the passages of some deleted documents and records the change in word counts; returns the number of documents.
WITH gone AS (
    SELECT id FROM documents WHERE deleted_at IS NOT NULL AND page_count IS NOT NULL
    ORDER BY deleted_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), dropped AS (
    DELETE FROM chunks c USING gone g WHERE c.document_id = g.id
    RETURNING c.document_id, c.workspace_id, c.config, c.text
), unmarked AS (
    DELETE FROM embedded_documents e USING gone g WHERE e.document_id = g.id
), emptied AS (
    UPDATE documents d SET page_count = NULL FROM gone g WHERE d.id = g.id
), noted AS (
    SELECT note_text_change(workspace_id, array_agg(config), array_agg(text), -1) FROM dropped
    GROUP BY document_id, workspace_id
)
SELECT (SELECT count(*) FROM gone) AS documents, (SELECT count(*) FROM noted) AS noted
