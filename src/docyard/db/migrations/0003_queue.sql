-- The queue. The table jobs contains live jobs only; finished jobs move to job_history or dead_letters.
--
-- Autovacuum: each claim and settlement leaves dead rows, which slow down index scans. On busy tables, vacuum does not
-- pause, because more rows would die than it removes. It does not truncate, because every claim would wait for its lock
-- and the next burst needs the pages again. Tables with few rows have a fixed threshold instead of a scale factor.

-- Returns a UUID of version 7; such ids keep new rows together in the index. uuidv7() requires PostgreSQL 18.
CREATE FUNCTION new_job_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(
    set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6
    ), 52, 1), 53, 1), 'hex')::uuid;

-- Each stage and each LLM connection has a pool. The pools of stages are created from the stage registry.
CREATE TABLE pools (
    pool text COLLATE "C" PRIMARY KEY,
    resource text NOT NULL,
    -- For the pool of a stage: its position in the pipeline, and the type of value that it produces.
    place integer,
    gives text,
    deadline_seconds integer NOT NULL DEFAULT 660,
    paused boolean NOT NULL DEFAULT false,
    max_running integer,
    -- A token bucket: jobs per second on average, with at most `burst` jobs at one moment.
    rate_per_second double precision,
    burst integer NOT NULL DEFAULT 1,
    tokens double precision NOT NULL DEFAULT 0,
    refilled_at timestamptz NOT NULL DEFAULT now(),
    -- Virtual time of the pool, from which a tier that becomes active again starts.
    vclock double precision NOT NULL DEFAULT 0,
    swept_at timestamptz NOT NULL DEFAULT '-infinity',
    sweep_cost interval NOT NULL DEFAULT '0',
    CONSTRAINT pools_resource_known CHECK (resource IN ('cpu', 'ocr', 'llm', 'embed')),
    CONSTRAINT pools_deadline_positive CHECK (deadline_seconds > 0),
    -- A limit of zero would stop the pool without showing it as paused.
    CONSTRAINT pools_cap_positive CHECK (max_running > 0),
    CONSTRAINT pools_rate_positive CHECK (rate_per_second > 0 AND burst > 0)
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

CREATE TABLE pool_tiers (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    tier smallint NOT NULL REFERENCES tiers,
    vtime double precision NOT NULL DEFAULT 0,
    -- Virtual time of the tier, from which a lane that becomes active again starts.
    vclock double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (pool, tier)
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

-- A lane is the queue of one workspace in one tier of one pool. Only the claim writes to this table, under the pool's
-- advisory lock, so that enqueueing and claiming never wait for each other.
CREATE TABLE lanes (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    tier smallint NOT NULL REFERENCES tiers,
    workspace_id uuid NOT NULL,
    vtime double precision NOT NULL DEFAULT 0,
    active boolean NOT NULL DEFAULT true,
    PRIMARY KEY (pool, tier, workspace_id)
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.2,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);
CREATE INDEX lanes_next ON lanes (pool, tier, vtime, workspace_id) WHERE active;

-- Only workspaces that are paused or limited have a row, so the table is usually empty.
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
    -- A draining worker finishes its jobs; a stopped one has shut down; a lost one missed its heartbeats.
    CONSTRAINT workers_state_known CHECK (state IN ('alive', 'draining', 'stopped', 'lost')),
    CONSTRAINT workers_lease_positive CHECK (lease_seconds > 0)
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

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
    parent_id uuid,
    children integer NOT NULL DEFAULT 0,
    children_left integer NOT NULL DEFAULT 0,
    children_failed integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    deadline_at timestamptz,
    failure_history jsonb NOT NULL DEFAULT '[]',
    arrived_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT jobs_state_known CHECK (state IN ('scheduled', 'pending', 'running', 'waiting')),
    -- Running jobs, and only these, have a worker and a deadline.
    CONSTRAINT jobs_held_while_running CHECK (
        (state = 'running') = (worker_id IS NOT NULL)
        AND (state = 'running') = (deadline_at IS NOT NULL)
    ),
    -- Without run_at, a scheduled job would never run.
    CONSTRAINT jobs_scheduled_when CHECK (state <> 'scheduled' OR run_at IS NOT NULL),
    CONSTRAINT jobs_attempts_counted CHECK (attempts BETWEEN 0 AND max_attempts AND max_attempts BETWEEN 1 AND 100),
    -- A job that can be claimed has an attempt left. Otherwise every claim of its pool would fail.
    CONSTRAINT jobs_attempt_left CHECK (state NOT IN ('pending', 'scheduled') OR attempts < max_attempts),
    -- A waiting job has live children and a timeout.
    CONSTRAINT jobs_waiting_bounded CHECK (state <> 'waiting' OR (run_at IS NOT NULL AND children_left > 0)),
    CONSTRAINT jobs_children_counted CHECK (children_left BETWEEN 0 AND children AND children_failed BETWEEN 0 AND children),
    CONSTRAINT jobs_payload_small CHECK (jsonb_typeof(payload) = 'object' AND pg_column_size(payload) <= 65536),
    CONSTRAINT jobs_history_list CHECK (jsonb_typeof(failure_history) = 'array'),
    -- A job of the pipeline has a document and a stage.
    CONSTRAINT jobs_document_whole CHECK (type <> 'document' OR (document_id IS NOT NULL AND stage IS NOT NULL)),
    CONSTRAINT jobs_priority_sane CHECK (priority BETWEEN -32768 AND 32767),
    CONSTRAINT jobs_of_document
        FOREIGN KEY (document_id, workspace_id) REFERENCES documents (id, workspace_id) ON DELETE CASCADE
) WITH (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1, vacuum_truncate = false
);
-- The claim reads the jobs of a lane in the order in which they are served.
CREATE INDEX jobs_pending ON jobs (pool, tier, workspace_id, priority, arrived_at, id) WHERE state = 'pending';
-- Counts the running jobs of a pool, or of a workspace in a pool, and finds those of a worker. One index serves both,
-- because each claim must update it and running jobs are few.
CREATE INDEX jobs_running ON jobs (pool, workspace_id, worker_id) WHERE state = 'running';
CREATE INDEX jobs_scheduled ON jobs (run_at) WHERE state = 'scheduled';
-- Finds parents that have waited longer than their timeout.
CREATE INDEX jobs_waiting ON jobs (run_at) WHERE state = 'waiting';
CREATE INDEX jobs_by_parent ON jobs (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX jobs_by_document ON jobs (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX jobs_by_entity ON jobs (entity_id, entity_type) WHERE entity_id IS NOT NULL;
-- At most one live job has a given key. When it ends, the key can be used again.
CREATE UNIQUE INDEX jobs_dedupe ON jobs (workspace_id, dedupe_key) WHERE dedupe_key IS NOT NULL;

-- The result of claim_jobs(). docyard.queue.jobs.claims depends on the order of the columns.
CREATE TYPE leased_job AS (
    id uuid, fence bigint, workspace_id uuid, pool text, type text, stage text, document_id uuid,
    tier smallint, priority integer, payload jsonb, attempts integer, max_attempts integer, arrived_at timestamptz,
    children integer, children_failed integer
);

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
CREATE INDEX job_history_by_document ON job_history (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX job_history_by_id ON job_history (id);
CREATE INDEX job_history_by_entity ON job_history (entity_id, entity_type) WHERE entity_id IS NOT NULL;
-- Receives rows if upkeep is late in creating a partition, so that settlements do not fail.
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
    -- Whether another attempt can succeed; decided by the failure category.
    retryable boolean NOT NULL,
    -- Dead letters with the same cause share a fingerprint, which ignores numbers and ids in the message.
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
CREATE INDEX dead_letters_by_entity ON dead_letters (entity_id, entity_type) WHERE entity_id IS NOT NULL;

-- Circuit breakers. Only pools that had systemic failures have a row. Only the claim writes to this table, under the
-- pool's advisory lock; settlements insert into breaker_marks, so that they never wait for it.
CREATE TABLE pool_breakers (
    pool text COLLATE "C" PRIMARY KEY REFERENCES pools ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'closed',
    -- Counts of the current window, which starts with a failure.
    failures integer NOT NULL DEFAULT 0,
    successes integer NOT NULL DEFAULT 0,
    window_began timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- How often the breaker has opened in succession. Each time, it stays open twice as long.
    trips integer NOT NULL DEFAULT 0,
    category text,
    message text,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    open_until timestamptz,
    CONSTRAINT pool_breakers_state_known CHECK (state IN ('closed', 'open', 'half_open')),
    -- Without open_until, an open breaker would never close.
    CONSTRAINT pool_breakers_open_until CHECK ((state = 'open') = (open_until IS NOT NULL))
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

-- Successes and systemic failures of settled jobs, which the next claim of the pool evaluates.
CREATE TABLE breaker_marks (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    good integer NOT NULL,
    bad integer NOT NULL,
    -- The latest start of these jobs. While half-open, the breaker ignores jobs that started earlier.
    started_at timestamptz NOT NULL,
    category text,
    message text,
    CONSTRAINT breaker_marks_one_kind CHECK ((good > 0) <> (bad > 0))
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX breaker_marks_by_pool ON breaker_marks (pool);

-- The number of retries of a workspace per period. Further retries wait for the next period with budget left.
CREATE TABLE retry_budgets (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    most integer NOT NULL DEFAULT 1000,
    period interval NOT NULL DEFAULT '1 hour',
    -- The start of the last period in which a retry was granted, which may be in the future.
    period_began timestamptz NOT NULL DEFAULT '-infinity',
    spent integer NOT NULL DEFAULT 0,
    CONSTRAINT retry_budgets_positive CHECK (most > 0 AND period > interval '0'),
    -- A period never grants more than its number.
    CONSTRAINT retry_budgets_kept CHECK (spent BETWEEN 0 AND most)
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0.2,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

-- Counters of claims and settlements. Each transaction inserts its own rows, so that rolled back ones are not counted
-- and no transaction waits for another. Upkeep folds the rows into tally_totals.
CREATE TABLE tallies (
    pool text COLLATE "C" NOT NULL,
    tier smallint NOT NULL,
    event text NOT NULL,
    category text NOT NULL DEFAULT '',
    jobs integer NOT NULL,
    -- For first claims: their number, their total wait, and how many waited longer than the objective.
    fresh integer NOT NULL DEFAULT 0,
    wait_seconds double precision NOT NULL DEFAULT 0,
    late integer NOT NULL DEFAULT 0,
    CONSTRAINT tallies_event_known CHECK (event IN (
        'claimed', 'done', 'degraded', 'cancelled', 'retried', 'snoozed', 'waited', 'dead', 'refused'))
) WITH (
    autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);

CREATE TABLE tally_totals (
    pool text COLLATE "C" NOT NULL,
    tier smallint NOT NULL,
    event text NOT NULL,
    category text NOT NULL,
    jobs bigint NOT NULL,
    fresh bigint NOT NULL,
    wait_seconds double precision NOT NULL,
    late bigint NOT NULL,
    PRIMARY KEY (pool, tier, event, category)
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

-- Upkeep duties. Each is performed by one worker at a time, for all hosts.
CREATE TABLE duties (
    duty text PRIMARY KEY,
    began_at timestamptz NOT NULL DEFAULT '-infinity',
    seconds double precision NOT NULL DEFAULT 0,
    -- The report of the last run. An error is kept until a run succeeds.
    said text,
    error text,
    failed_at timestamptz,
    CONSTRAINT duties_failed_when CHECK ((error IS NULL) = (failed_at IS NULL))
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);

-- Counts whose cost grows with the backlog. One worker takes them periodically; pages and metrics read them here.
CREATE TABLE queue_samples (
    taken_at timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
    facts jsonb NOT NULL,
    CONSTRAINT queue_samples_facts_named CHECK (jsonb_typeof(facts) = 'object')
);
