-- Settings of a workspace: the types that its documents can be of, and how its connections answered when they were tried.

CREATE TABLE document_types (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    -- What it is, of a type that the workspace added; one of the program's own is only here while it is off.
    description text,
    phrases text[] NOT NULL DEFAULT '{}',
    is_off boolean NOT NULL DEFAULT false,
    changed_by text,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, name),
    CONSTRAINT document_types_named CHECK (name = lower(name) AND name !~ '\s' AND octet_length(name) BETWEEN 1 AND 100),
    CONSTRAINT document_types_described CHECK (length(description) BETWEEN 1 AND 500),
    CONSTRAINT document_types_phrases_few CHECK (cardinality(phrases) <= 20),
    CONSTRAINT document_types_ours_off CHECK (description IS NOT NULL OR is_off)
);
ALTER TABLE document_types ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON document_types TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
GRANT SELECT, INSERT, DELETE, UPDATE (description, phrases, is_off, changed_by, changed_at) ON document_types
    TO docyard_web;

-- When a connection was last tried, how long its answer took, and what was wrong with it, if anything was.
ALTER TABLE connections
    ADD COLUMN tried_at timestamptz,
    ADD COLUMN tried_seconds real,
    ADD COLUMN trouble text,
    ADD CONSTRAINT connections_tried_whole CHECK (tried_at IS NOT NULL OR num_nonnulls(tried_seconds, trouble) = 0);
GRANT SELECT (tried_at, tried_seconds, trouble) ON connections TO docyard_web;
