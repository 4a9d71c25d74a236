-- The queue: live jobs only; finished ones move to job_history or dead_letters.

-- Time-ordered ids keep new rows together in the index; PostgreSQL has uuidv7() only from 18 on.
CREATE FUNCTION new_job_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(
    set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6
    ), 52, 1), 53, 1), 'hex')::uuid;

CREATE TABLE pools (
    pool text COLLATE "C" PRIMARY KEY,
    resource text NOT NULL,
    deadline_seconds integer NOT NULL DEFAULT 660,
    paused boolean NOT NULL DEFAULT false,
    max_running integer,
    -- A token bucket: so many jobs a second on average, at most `burst` at once.
    rate_per_second double precision,
    burst integer NOT NULL DEFAULT 1,
    tokens double precision NOT NULL DEFAULT 0,
    refilled_at timestamptz NOT NULL DEFAULT now(),
    -- Virtual time of this pool: the start tag of what was last served.
    vclock double precision NOT NULL DEFAULT 0,
    swept_at timestamptz NOT NULL DEFAULT '-infinity',
    sweep_cost interval NOT NULL DEFAULT '0',
    CONSTRAINT pools_resource_known CHECK (resource IN ('cpu', 'ocr', 'llm', 'embed')),
    CONSTRAINT pools_deadline_positive CHECK (deadline_seconds > 0),
    -- A cap or rate of zero would stop the pool without saying so; pausing says so.
    CONSTRAINT pools_cap_positive CHECK (max_running > 0),
    CONSTRAINT pools_rate_positive CHECK (rate_per_second > 0 AND burst > 0)
) WITH (fillfactor = 50);
INSERT INTO pools (pool, resource) VALUES
    ('fetch', 'cpu'), ('extract', 'cpu'), ('classify', 'cpu'), ('chunk', 'cpu');

CREATE TABLE pool_tiers (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    tier smallint NOT NULL REFERENCES tiers,
    vtime double precision NOT NULL DEFAULT 0,
    -- Virtual time among the workspaces of this tier.
    vclock double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (pool, tier)
) WITH (fillfactor = 50);

-- A lane is the queue of one workspace in one tier of one pool. Only the claim writes here, under the
-- pool's lock: enqueueing must never wait for a claim, nor a claim for an open transaction that enqueues.
CREATE TABLE lanes (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    tier smallint NOT NULL REFERENCES tiers,
    workspace_id uuid NOT NULL,
    vtime double precision NOT NULL DEFAULT 0,
    active boolean NOT NULL DEFAULT true,
    PRIMARY KEY (pool, tier, workspace_id)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.2);
CREATE INDEX lanes_next ON lanes (pool, tier, vtime, workspace_id) WHERE active;

-- Only workspaces that are held back have a row, so the claim usually finds none.
CREATE TABLE workspace_limits (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    paused boolean NOT NULL DEFAULT false,
    max_running integer,
    CONSTRAINT workspace_limits_cap_positive CHECK (max_running > 0)
);

CREATE TABLE workers (
    id uuid PRIMARY KEY,
    host text NOT NULL,
    pid integer NOT NULL,
    pools text[] NOT NULL,
    slots integer NOT NULL,
    lease_seconds double precision NOT NULL,
    state text NOT NULL DEFAULT 'alive',
    rejected bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now(),
    -- draining finishes what it holds, stopped went in order, lost was declared dead by a reaper.
    CONSTRAINT workers_state_known CHECK (state IN ('alive', 'draining', 'stopped', 'lost')),
    CONSTRAINT workers_lease_positive CHECK (lease_seconds > 0)
) WITH (fillfactor = 50);

CREATE TABLE jobs (
    id uuid PRIMARY KEY DEFAULT new_job_id(),
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    pool text COLLATE "C" NOT NULL REFERENCES pools,
    tier smallint NOT NULL REFERENCES tiers,
    priority integer NOT NULL DEFAULT 100,
    type text NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    payload jsonb NOT NULL DEFAULT '{}',
    dedupe_key text,
    state text NOT NULL DEFAULT 'pending',
    run_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL DEFAULT 3,
    replays integer NOT NULL DEFAULT 0,
    fence bigint NOT NULL DEFAULT 0,
    worker_id uuid,
    started_at timestamptz,
    deadline_at timestamptz,
    failure_history jsonb NOT NULL DEFAULT '[]',
    arrived_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT jobs_state_known CHECK (state IN ('scheduled', 'pending', 'running', 'waiting')),
    -- Somebody holds a running job until a deadline; nobody holds any other.
    CONSTRAINT jobs_held_while_running CHECK (
        (state = 'running') = (worker_id IS NOT NULL)
        AND (state = 'running') = (deadline_at IS NOT NULL)
    ),
    -- A scheduled job has a time, or it would never run.
    CONSTRAINT jobs_scheduled_when CHECK (state <> 'scheduled' OR run_at IS NOT NULL),
    CONSTRAINT jobs_attempts_counted CHECK (attempts BETWEEN 0 AND max_attempts AND max_attempts BETWEEN 1 AND 100),
    -- What waits has an attempt left; one that had none would make every claim of its pool fail.
    CONSTRAINT jobs_attempt_left CHECK (state NOT IN ('pending', 'scheduled') OR attempts < max_attempts),
    CONSTRAINT jobs_payload_small CHECK (jsonb_typeof(payload) = 'object' AND pg_column_size(payload) <= 65536),
    CONSTRAINT jobs_history_list CHECK (jsonb_typeof(failure_history) = 'array'),
    -- A step of the pipeline belongs to a document and names its stage.
    CONSTRAINT jobs_document_whole CHECK (type <> 'document' OR (document_id IS NOT NULL AND stage IS NOT NULL)),
    CONSTRAINT jobs_priority_sane CHECK (priority BETWEEN -32768 AND 32767),
    CONSTRAINT jobs_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
) WITH (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1
);
-- The claim walks lanes, then each lane in the order it is served.
CREATE INDEX jobs_pending ON jobs (pool, tier, workspace_id, priority, arrived_at, id) WHERE state = 'pending';
-- Finds what a lost worker held, and what overran its deadline.
CREATE INDEX jobs_running ON jobs (worker_id) WHERE state = 'running';
-- Counts what runs in a pool, or of a workspace in it, against its cap.
CREATE INDEX jobs_running_in_pool ON jobs (pool, workspace_id) WHERE state = 'running';
CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE state = 'running';
CREATE INDEX jobs_scheduled ON jobs (run_at) WHERE state = 'scheduled';
CREATE INDEX jobs_by_document ON jobs (document_id);
-- The same work is never live twice; once it has ended the key is free again.
CREATE UNIQUE INDEX jobs_dedupe ON jobs (workspace_id, dedupe_key) WHERE dedupe_key IS NOT NULL;

CREATE TABLE job_history (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    pool text NOT NULL,
    tier smallint NOT NULL,
    type text NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    outcome text NOT NULL,
    attempts integer NOT NULL,
    replays integer NOT NULL,
    fence bigint NOT NULL,
    worker_id uuid,
    failure_history jsonb NOT NULL,
    arrived_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT job_history_outcome_known CHECK (outcome IN ('done', 'degraded', 'cancelled', 'discarded'))
) PARTITION BY RANGE (finished_at);
CREATE INDEX job_history_by_document ON job_history (document_id);
CREATE INDEX job_history_by_id ON job_history (id);
-- A settlement must never fail because upkeep was late with a partition.
CREATE TABLE job_history_default PARTITION OF job_history DEFAULT;

CREATE TABLE dead_letters (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    pool text COLLATE "C" NOT NULL,
    tier smallint NOT NULL,
    priority integer NOT NULL,
    type text NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    payload jsonb NOT NULL,
    dedupe_key text,
    attempts integer NOT NULL,
    max_attempts integer NOT NULL,
    replays integer NOT NULL,
    fence bigint NOT NULL,
    failure_history jsonb NOT NULL,
    arrived_at timestamptz NOT NULL,
    started_at timestamptz,
    died_at timestamptz NOT NULL DEFAULT now(),
    category text NOT NULL,
    message text NOT NULL,
    -- Letters that died of the same cause share a fingerprint: numbers and ids do not count.
    fingerprint text NOT NULL GENERATED ALWAYS AS (
        md5(category || ':' || coalesce(stage, type) || ':'
            || regexp_replace(lower(message), '[0-9a-f-]{8,}|[0-9]+', '#', 'g'))
    ) STORED,
    CONSTRAINT dead_letters_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX dead_letters_by_document ON dead_letters (document_id);
CREATE INDEX dead_letters_newest ON dead_letters (workspace_id, died_at DESC);
CREATE INDEX dead_letters_by_cause ON dead_letters (fingerprint);

-- The intake door: whoever inserts documents, one or a million, gets them queued in the same statement.
CREATE FUNCTION enqueue_arrived_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Nobody works on a document that has only just arrived, whatever the row says; it would never end.
    UPDATE documents d SET status = 'pending' FROM arrived AS a WHERE d.id = a.id AND a.status = 'processing';
    INSERT INTO jobs (workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key)
    SELECT a.workspace_id, 'fetch', 'document', 'fetch', a.id, a.tier, a.priority, a.created_at, 'road:' || a.id
    FROM arrived AS a
    WHERE a.status IN ('pending', 'processing') AND a.deleted_at IS NULL;
    PERFORM pg_notify('docyard_jobs', 'fetch') WHERE EXISTS (SELECT FROM arrived);
    PERFORM pg_notify('docyard_documents', w.workspace_id || ':')
    FROM (SELECT DISTINCT workspace_id FROM arrived) AS w;
    RETURN NULL;
END $$;
CREATE TRIGGER documents_enqueue AFTER INSERT ON documents
    REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION enqueue_arrived_documents();
