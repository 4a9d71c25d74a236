-- The first completion of documents, counts of cancellations by the web app, and blockers.

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

-- Transactions of other sessions that hold locks on Docyard's tables. A worker replaces the rows every few seconds.
CREATE TABLE blockers (
    facts jsonb NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT blockers_facts_named CHECK (jsonb_typeof(facts) = 'object')
);
ALTER TABLE blockers ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_workspaces ON blockers TO docyard_operator USING (true) WITH CHECK (true);
GRANT SELECT ON blockers TO docyard_operator;
