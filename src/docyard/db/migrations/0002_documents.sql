-- Documents and everything that is known about them.

CREATE TABLE tiers (
    tier smallint PRIMARY KEY,
    name text NOT NULL UNIQUE,
    weight integer NOT NULL,
    paused boolean NOT NULL DEFAULT false,
    -- A weight of zero would starve its tier.
    CONSTRAINT tiers_weight_positive CHECK (weight > 0)
);
INSERT INTO tiers (tier, name, weight) VALUES (0, 'user_upload', 60), (1, 'background', 30), (2, 'low', 10);

CREATE TABLE blobs (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Content is shared inside a workspace only: a hash must not tell one tenant what another has.
    PRIMARY KEY (workspace_id, sha256),
    CONSTRAINT blobs_sha256_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT blobs_size_sane CHECK (size >= 0)
);

CREATE TABLE documents (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    parent_id uuid,
    name text NOT NULL,
    source text NOT NULL DEFAULT 'sql',
    original_path text,
    blob_key text,
    content_key text,
    media_type text,
    size bigint,
    sha256 text,
    entity_type text,
    entity_id text,
    tier smallint NOT NULL DEFAULT 1 REFERENCES tiers,
    priority integer NOT NULL DEFAULT 100,
    status text NOT NULL DEFAULT 'pending',
    stage text,
    reason text,
    reason_category text,
    notes text[] NOT NULL DEFAULT '{}',
    title text,
    summary text,
    document_date date,
    language text,
    tags text[] NOT NULL DEFAULT '{}',
    page_count integer,
    running_seconds double precision NOT NULL DEFAULT 0,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    attempt_started_at timestamptz,
    completed_at timestamptz,
    deleted_at timestamptz,
    CONSTRAINT documents_status_known
        CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
    -- An ended document says when, a live one does not.
    CONSTRAINT documents_ended_when
        CHECK ((status IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL)),
    -- Nobody is left to guess why.
    CONSTRAINT documents_failed_why CHECK (status <> 'failed' OR reason IS NOT NULL),
    CONSTRAINT documents_name_shown CHECK (octet_length(name) BETWEEN 1 AND 1024),
    CONSTRAINT documents_sha256_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    -- A row may only name its own workspace's bytes: workers read whatever a row names.
    CONSTRAINT documents_blob_own CHECK (starts_with(blob_key, workspace_id::text || '/')),
    CONSTRAINT documents_size_sane CHECK (size >= 0),
    CONSTRAINT documents_priority_sane CHECK (priority BETWEEN -32768 AND 32767),
    CONSTRAINT documents_source_known
        CHECK (source IN ('upload', 'api', 'cli', 'folder', 'bucket', 'sql', 'child')),
    CONSTRAINT documents_attached_whole CHECK ((entity_type IS NULL) = (entity_id IS NULL)),
    -- Foreign keys look past row security, so whatever names a document must name its workspace too.
    CONSTRAINT documents_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT documents_parent_beside
        FOREIGN KEY (parent_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
-- The same content is received once per workspace, also when two uploads race.
CREATE UNIQUE INDEX documents_content_once ON documents (workspace_id, content_key) WHERE deleted_at IS NULL;
-- The Documents page reads the newest first.
CREATE INDEX documents_newest ON documents (workspace_id, seq DESC) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_entity ON documents (workspace_id, entity_type, entity_id) WHERE entity_type IS NOT NULL;

CREATE TABLE stage_results (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    stage text NOT NULL,
    version integer NOT NULL,
    outcome text NOT NULL,
    facts jsonb NOT NULL DEFAULT '{}',
    job_id uuid NOT NULL,
    fence bigint NOT NULL,
    worker_id uuid NOT NULL,
    seconds double precision NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT now(),
    -- A stage takes effect once.
    PRIMARY KEY (document_id, stage, version),
    CONSTRAINT stage_results_outcome_known CHECK (outcome IN ('done', 'degraded')),
    CONSTRAINT stage_results_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);

CREATE TABLE pages (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    number integer NOT NULL,
    text text NOT NULL,
    width real NOT NULL,
    height real NOT NULL,
    words bytea NOT NULL,
    PRIMARY KEY (document_id, number),
    CONSTRAINT pages_counted_from_one CHECK (number >= 1),
    -- A word is 24 bytes: two offsets and four edges.
    CONSTRAINT pages_words_whole CHECK (octet_length(words) % 24 = 0),
    CONSTRAINT pages_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);

CREATE TABLE renditions (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    page integer NOT NULL,
    blob_key text NOT NULL,
    media_type text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, kind, page),
    CONSTRAINT renditions_blob_own CHECK (starts_with(blob_key, workspace_id::text || '/')),
    CONSTRAINT renditions_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);

CREATE TABLE chunks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    ordinal integer NOT NULL,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    text text NOT NULL,
    config regconfig NOT NULL,
    -- The stemmed forms find inflections, the plain ones find names and foreign words.
    terms tsvector NOT NULL
        GENERATED ALWAYS AS (to_tsvector(config, text) || to_tsvector('simple', text)) STORED,
    UNIQUE (document_id, ordinal),
    CONSTRAINT chunks_offsets_exact CHECK (end_offset - start_offset = char_length(text) AND start_offset >= 0),
    CONSTRAINT chunks_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX chunks_terms ON chunks USING gin (terms);
