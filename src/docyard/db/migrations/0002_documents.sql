-- Documents, pages, attachments, folders, tags, document types and LLM connections.

CREATE TABLE tiers (
    tier smallint PRIMARY KEY,
    name text NOT NULL UNIQUE,
    weight integer NOT NULL,
    -- Objective for the wait until the first claim. It is measured and displayed, not enforced.
    objective_seconds integer NOT NULL DEFAULT 600,
    paused boolean NOT NULL DEFAULT false,
    -- A tier with a weight of zero would never be served.
    CONSTRAINT tiers_weight_positive CHECK (weight > 0),
    CONSTRAINT tiers_objective_positive CHECK (objective_seconds > 0)
);
INSERT INTO tiers (tier, name, weight, objective_seconds) VALUES
    (0, 'user_upload', 60, 60), (1, 'background', 30, 120), (2, 'low', 10, 600);

CREATE TABLE blobs (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Content is deduplicated only within a workspace: a hash must not reveal what another tenant has.
    PRIMARY KEY (workspace_id, sha256),
    CONSTRAINT blobs_sha256_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT blobs_size_sane CHECK (size >= 0)
);

CREATE TABLE folders (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    key text NOT NULL GENERATED ALWAYS AS (lower(name)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT folders_name_once UNIQUE (workspace_id, key),
    CONSTRAINT folders_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT folders_name_shown CHECK (name = btrim(name) AND char_length(name) BETWEEN 1 AND 200)
);

CREATE TABLE documents (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    parent_id uuid,
    -- The number of enclosing documents. Attachments are extracted only up to a limit.
    depth smallint NOT NULL DEFAULT 0,
    folder_id uuid,
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
    -- Whether another attempt can change the outcome of an ended document; decided by the failure category.
    retryable boolean NOT NULL DEFAULT true,
    notes text[] NOT NULL DEFAULT '{}',
    -- The number of failed attempts. A document that completes despite failures has recovered.
    failures integer NOT NULL DEFAULT 0,
    -- Records of outside processors and resets, which are kept longer than jobs and their history.
    processor_metadata jsonb NOT NULL DEFAULT '{}',
    title text,
    summary text,
    document_date date,
    language text,
    type text,
    type_confidence real,
    -- Tags set by users, and tags found by classification.
    tags text[] NOT NULL DEFAULT '{}',
    found_tags text[] NOT NULL DEFAULT '{}',
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
    -- Ended documents, and only these, have a time of completion.
    CONSTRAINT documents_ended_when
        CHECK ((status IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL)),
    -- A failed document has a reason.
    CONSTRAINT documents_failed_why CHECK (status <> 'failed' OR reason IS NOT NULL),
    CONSTRAINT documents_failures_counted CHECK (failures >= 0),
    CONSTRAINT documents_name_shown CHECK (octet_length(name) BETWEEN 1 AND 1024),
    CONSTRAINT documents_sha256_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    -- A key must belong to the workspace of the row, because workers read any blob that a row refers to.
    CONSTRAINT documents_blob_own CHECK (starts_with(blob_key, workspace_id::text || '/')),
    CONSTRAINT documents_size_sane CHECK (size >= 0),
    CONSTRAINT documents_depth_sane CHECK (depth BETWEEN 0 AND 100),
    CONSTRAINT documents_priority_sane CHECK (priority BETWEEN -32768 AND 32767),
    CONSTRAINT documents_source_known
        CHECK (source IN ('upload', 'api', 'cli', 'folder', 'bucket', 'sql', 'child')),
    CONSTRAINT documents_attached_whole CHECK ((entity_type IS NULL) = (entity_id IS NULL)),
    CONSTRAINT documents_type_named CHECK (octet_length(type) BETWEEN 1 AND 100),
    CONSTRAINT documents_type_confidence_share CHECK (type_confidence BETWEEN 0 AND 1),
    CONSTRAINT documents_processor_metadata_object CHECK (jsonb_typeof(processor_metadata) = 'object'),
    -- Foreign keys bypass row-level security, so references to a document include its workspace.
    CONSTRAINT documents_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT documents_parent_beside
        FOREIGN KEY (parent_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE,
    -- Deleting a folder keeps its documents.
    CONSTRAINT documents_folder_beside
        FOREIGN KEY (folder_id, workspace_id) REFERENCES folders (id, workspace_id) ON DELETE SET NULL (folder_id)
);
-- The same content is stored once per workspace, even if two uploads race.
CREATE UNIQUE INDEX documents_content_once ON documents (workspace_id, content_key) WHERE deleted_at IS NULL;
-- For the Documents page, which lists the newest first.
CREATE INDEX documents_newest ON documents (workspace_id, seq DESC) WHERE deleted_at IS NULL;
CREATE INDEX documents_by_folder ON documents (folder_id, seq DESC) WHERE folder_id IS NOT NULL;
CREATE INDEX documents_by_entity ON documents (workspace_id, entity_type, entity_id) WHERE entity_type IS NOT NULL;
CREATE INDEX documents_by_type ON documents (workspace_id, lower(type)) WHERE type IS NOT NULL;
CREATE INDEX documents_by_date ON documents (workspace_id, document_date) WHERE document_date IS NOT NULL;
-- Finds documents that ended in a period.
CREATE INDEX documents_ended ON documents (completed_at) WHERE completed_at IS NOT NULL;
-- Finds live documents. None of its columns changes before the end, so updates of progress do not touch this index.
CREATE INDEX documents_live ON documents (created_at) WHERE completed_at IS NULL AND deleted_at IS NULL;
-- Finds deleted documents whose chunks have not been deleted yet.
CREATE INDEX documents_deleted ON documents (deleted_at) WHERE deleted_at IS NOT NULL AND page_count IS NOT NULL;

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
    -- The result of a stage is saved once per version.
    PRIMARY KEY (document_id, stage, version),
    CONSTRAINT stage_results_outcome_known CHECK (outcome IN ('done', 'degraded')),
    CONSTRAINT stage_results_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);

CREATE TABLE pages (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    number integer NOT NULL,
    -- The origin of the text: the file ('text'), OCR ('ocr'), or none yet ('scan').
    source text NOT NULL DEFAULT 'text',
    text text NOT NULL,
    width real NOT NULL,
    height real NOT NULL,
    words bytea NOT NULL,
    blocks bytea NOT NULL DEFAULT '',
    confidences bytea NOT NULL DEFAULT '',
    PRIMARY KEY (document_id, number),
    CONSTRAINT pages_counted_from_one CHECK (number >= 1),
    CONSTRAINT pages_source_known CHECK (source IN ('text', 'scan', 'ocr')),
    -- A word takes 24 bytes: two offsets and the four edges of its bounding box.
    CONSTRAINT pages_words_whole CHECK (octet_length(words) % 24 = 0),
    -- A block takes 10 bytes: kind, level and two offsets.
    CONSTRAINT pages_blocks_whole CHECK (octet_length(blocks) % 10 = 0),
    -- One byte per word, or empty if the text does not come from OCR.
    CONSTRAINT pages_confidences_whole
        CHECK (octet_length(confidences) = 0 OR octet_length(confidences) * 24 = octet_length(words)),
    CONSTRAINT pages_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);

-- Bounding boxes hardly compress, and the attempt took as long as the rest of storing a page.
ALTER TABLE pages ALTER COLUMN words SET STORAGE EXTERNAL;

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

-- Files found inside a document. A separate table, because one document may be attached to several others.
CREATE TABLE attachments (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    -- The reader's identifier of the file within the document.
    member text NOT NULL,
    ordinal integer NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    -- The outermost document, to which the limits of one upload apply.
    root_id uuid NOT NULL,
    child_id uuid,
    -- Why the file did not become a document.
    reason text,
    -- Retries of the job that extracts the file must not add rows.
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
-- Finds the documents that contain a document.
CREATE INDEX attachments_by_child ON attachments (child_id) WHERE child_id IS NOT NULL;
CREATE INDEX attachments_by_root ON attachments (root_id);

-- An index and a generated column use the functions below. After a change of a function, rebuild both.

-- Returns a tag on one line and short enough for an index. SQL programs can write any text to documents.tags.
CREATE FUNCTION tag_name(tag text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN btrim(left(btrim(regexp_replace(tag, '\s+', ' ', 'g')), 200));

-- Returns the key that all spellings of a tag share.
CREATE FUNCTION tag_key(tag text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(tag_name(tag));

CREATE FUNCTION tag_keys(tags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(array_agg(DISTINCT tag_key(t.tag)), '{}') FROM unnest(tags) AS t (tag));

-- Returns the keys of a document's tags, prefixed with the workspace, so that a search skips other workspaces.
CREATE FUNCTION scoped_tags(workspace_id uuid, given text[], found text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(array_agg(left(workspace_id::text, 8) || k.key), '{}')
    FROM unnest(tag_keys(given || found)) AS k (key));

CREATE INDEX documents_by_tag ON documents USING gin (scoped_tags(workspace_id, tags, found_tags));

CREATE TABLE tags (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    -- The spelling that was used first.
    name text NOT NULL,
    key text NOT NULL GENERATED ALWAYS AS (tag_key(name)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When the duty that removes unused tags last checked this one.
    looked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tags_key_once UNIQUE (workspace_id, key),
    CONSTRAINT tags_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT tags_name_shown CHECK (name <> '' AND name = tag_name(name))
);
CREATE INDEX tags_to_look_at ON tags (looked_at, id);

-- Differences between the document types of a workspace and the built-in types.
CREATE TABLE document_types (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    -- Set for types that the workspace added. A built-in type has a row only while it is switched off.
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

-- LLM connections of a workspace. Each has its own pool.
CREATE TABLE connections (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    base_url text,
    -- The API key, encrypted with a secret that is stored outside the database.
    sealed_key bytea,
    classifies boolean NOT NULL DEFAULT false,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The last connection test: its time, the seconds until the answer, and the error.
    tried_at timestamptz,
    tried_seconds real,
    trouble text,
    CONSTRAINT connections_name_once UNIQUE (workspace_id, name),
    CONSTRAINT connections_name_shown CHECK (name = btrim(name) AND length(name) BETWEEN 1 AND 200),
    CONSTRAINT connections_model_named CHECK (model = btrim(model) AND length(model) BETWEEN 1 AND 200),
    CONSTRAINT connections_provider_known CHECK (provider IN ('openai', 'anthropic', 'google', 'ollama')),
    CONSTRAINT connections_url_of_web CHECK (base_url ~ '^https?://' AND length(base_url) <= 500),
    -- Rejects keys that are not encrypted: they are shorter, or lack the prefix.
    CONSTRAINT connections_key_sealed CHECK (substring(sealed_key FROM 1 FOR 5) = 'gAAAA' AND length(sealed_key) >= 100),
    CONSTRAINT connections_tried_whole CHECK (tried_at IS NOT NULL OR num_nonnulls(tried_seconds, trouble) = 0)
);
-- At most one connection classifies documents.
CREATE UNIQUE INDEX connections_classifying ON connections (workspace_id) WHERE classifies;
