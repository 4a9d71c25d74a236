-- Files found inside a document, such as in a message or an archive, become documents of their own.

INSERT INTO pools (pool, resource) VALUES ('receive_child', 'cpu') ON CONFLICT DO NOTHING;

-- Inside how many others a document was found; what is inside it is taken out only down to a limit.
ALTER TABLE documents ADD COLUMN depth smallint NOT NULL DEFAULT 0,
    ADD CONSTRAINT documents_depth_sane CHECK (depth BETWEEN 0 AND 100);

-- A table of its own, because the same file may be found in many documents and is one document all the same.
CREATE TABLE attachments (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    -- How the engine that found it finds it again.
    member text NOT NULL,
    ordinal integer NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    -- The outermost document: what one upload may bring in all is counted by it.
    root_id uuid NOT NULL,
    child_id uuid,
    -- Why it became no document.
    reason text,
    -- However often the job that takes it out is tried, there is one.
    PRIMARY KEY (document_id, member),
    CONSTRAINT attachments_named CHECK (octet_length(name) BETWEEN 1 AND 1024),
    CONSTRAINT attachments_member_short CHECK (octet_length(member) BETWEEN 1 AND 200),
    CONSTRAINT attachments_size_sane CHECK (size >= 0),
    CONSTRAINT attachments_end_clear CHECK (child_id IS NULL OR reason IS NULL),
    CONSTRAINT attachments_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE,
    CONSTRAINT attachments_child_beside
        FOREIGN KEY (child_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE SET NULL (child_id)
);
-- Finds in what a document was found.
CREATE INDEX attachments_by_child ON attachments (child_id) WHERE child_id IS NOT NULL;
CREATE INDEX attachments_by_root ON attachments (root_id);

ALTER TABLE attachments ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON attachments TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
GRANT SELECT ON attachments TO docyard_web;
