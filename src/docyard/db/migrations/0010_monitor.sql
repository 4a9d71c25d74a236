-- The first completion of documents, and counts of cancellations by the web app.

-- When the document was first completed. Processing it again does not change it.
ALTER TABLE documents ADD COLUMN first_completed_at timestamptz;
UPDATE documents SET first_completed_at = completed_at WHERE status = 'completed';
-- Finds documents that were first completed in a period.
CREATE INDEX documents_first_completed ON documents (first_completed_at) WHERE first_completed_at IS NOT NULL;

-- A cancellation, or an outcome reported by an outside program, is counted with the privileges of the web app.
GRANT INSERT ON tallies TO docyard_web;
CREATE POLICY endings ON tallies FOR INSERT TO docyard_web WITH CHECK (event IN ('done', 'cancelled', 'dead'));

-- The function has got a parameter for the workspace.
DROP FUNCTION IF EXISTS reset_failed_documents_for_retry(interval);
