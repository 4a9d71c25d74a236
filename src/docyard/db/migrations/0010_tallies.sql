-- What happened, counted: claims and settlements by pool and tier, and the objectives they are measured against.

-- Most first claims of a tier should come within this many seconds; measured and shown, not enforced.
ALTER TABLE tiers ADD COLUMN objective_seconds integer NOT NULL DEFAULT 600,
    ADD CONSTRAINT tiers_objective_positive CHECK (objective_seconds > 0);
UPDATE tiers SET objective_seconds = CASE name WHEN 'user_upload' THEN 60 WHEN 'background' THEN 120 ELSE 600 END;

-- Claims and settlements add rows in their own transaction, so nothing is counted that did not happen and nobody
-- waits for a counter; upkeep folds them into the totals.
CREATE TABLE tallies (
    pool text COLLATE "C" NOT NULL,
    tier smallint NOT NULL,
    event text NOT NULL,
    category text NOT NULL DEFAULT '',
    jobs integer NOT NULL,
    -- Of first claims: how many, how long they had waited in all, and how many longer than the objective.
    fresh integer NOT NULL DEFAULT 0,
    wait_seconds double precision NOT NULL DEFAULT 0,
    late integer NOT NULL DEFAULT 0,
    CONSTRAINT tallies_event_known CHECK (event IN (
        'claimed', 'done', 'degraded', 'cancelled', 'retried', 'snoozed', 'waited', 'dead', 'refused'))
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

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
) WITH (fillfactor = 50);
ALTER TABLE tallies ENABLE ROW LEVEL SECURITY;
ALTER TABLE tally_totals ENABLE ROW LEVEL SECURITY;
