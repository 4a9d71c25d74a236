-- The cost of a claim no longer depends on index entries that no claim can see: jobs of open transactions, and settled
-- jobs that an old snapshot still needs. Decision 12 explains how.

-- One row per lane and transaction that made jobs of the lane pending. The claim reads each row once, by transaction id,
-- and deletes it. The position is that of the first of these jobs, or before it.
CREATE TABLE arrivals (
    pool text COLLATE "C" NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    tier smallint NOT NULL,
    workspace_id uuid NOT NULL,
    priority integer NOT NULL,
    arrived_at timestamptz NOT NULL,
    PRIMARY KEY (pool, xid, tier, workspace_id)
) WITH (
    autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false
);
ALTER TABLE arrivals ENABLE ROW LEVEL SECURITY;

-- Which arrivals the claims of a pool have read: not those of transactions from read_to on, and of those in unfinished.
CREATE TABLE arrival_reads (
    pool text COLLATE "C" NOT NULL REFERENCES pools ON DELETE CASCADE,
    read_to xid8 NOT NULL,
    unfinished xid8[] NOT NULL
) WITH (
    fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false
);
ALTER TABLE arrival_reads ENABLE ROW LEVEL SECURITY;

-- While an old snapshot is open, every version of a row stays in its indexes. Therefore the indexes of the tables that
-- each claim updates begin with the newest version, whose number is the highest, and a lookup ends there. A unique index
-- would compare all versions at each update; these tables have none. Only the claim writes to them, under a lock.
CREATE INDEX arrival_reads_newest ON arrival_reads (pool, read_to DESC);

ALTER TABLE pool_tiers DROP CONSTRAINT pool_tiers_pkey,
    -- No active lane of the tier has a lower virtual time.
    ADD COLUMN lowest_vtime double precision NOT NULL DEFAULT '-infinity',
    -- The virtual time of the pool is the highest of these.
    ADD COLUMN pool_vclock double precision NOT NULL DEFAULT 0;
CREATE INDEX pool_tiers_newest ON pool_tiers (pool, tier, vtime DESC);
UPDATE pool_tiers t SET pool_vclock = p.vclock FROM pools p WHERE p.pool = t.pool;

ALTER TABLE pools DROP COLUMN vclock,
    ADD COLUMN held_checked_at timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN held_check_cost interval NOT NULL DEFAULT '0';

ALTER TABLE lanes DROP CONSTRAINT lanes_pkey,
    -- An inactive lane with jobs whose workspace is paused or has reached its cap.
    ADD COLUMN held boolean NOT NULL DEFAULT false,
    -- No pending job of the lane that a claim can see precedes this position. Jobs that become pending before it
    -- have a row in arrivals, which moves the position back.
    ADD COLUMN first_priority integer NOT NULL DEFAULT -32768,
    ADD COLUMN first_arrived_at timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN first_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
CREATE INDEX lanes_held ON lanes (pool) WHERE held;
CREATE INDEX lanes_newest ON lanes (pool, tier, workspace_id, vtime DESC);

-- The next claim of each pool sweeps, and finds the lanes of the jobs that are pending now.
UPDATE pools SET swept_at = '-infinity';

-- The answer of a claim must fit into the buffers of a connection, because it is sent before the commit.
ALTER TABLE jobs ADD CONSTRAINT jobs_names_short
    CHECK (octet_length(type) <= 100 AND octet_length(stage) <= 100) NOT VALID;
-- A client cannot read infinite times or years before Christ; such a job would stop the claims of its pool.
ALTER TABLE jobs ADD CONSTRAINT jobs_times_sane
    CHECK (least(arrived_at, created_at) >= '1900-01-01Z' AND greatest(arrived_at, created_at) < '2200-01-01Z');
ALTER TABLE documents ADD CONSTRAINT documents_created_sane
    CHECK (created_at >= '1900-01-01Z' AND created_at < '2200-01-01Z');

DROP FUNCTION IF EXISTS claim_jobs(text, uuid, integer);
DROP TYPE leased_job;
CREATE TYPE leased_job AS (
    id uuid, fence bigint, workspace_id uuid, type text, stage text, document_id uuid, tier smallint, priority integer,
    -- NULL if the payload is not small. It is read after the commit.
    payload jsonb, attempts integer, max_attempts integer, arrived_at timestamptz, children integer,
    children_failed integer
);
