-- Parts of the stored times that are still to be shifted by a step of the database's clock. Workers try again before
-- each round of duties, until the rows are no longer locked and the last batch is done.
CREATE TABLE shift_remainders (
    step_id bigint NOT NULL REFERENCES clock_steps ON DELETE CASCADE,
    part text NOT NULL,
    seconds double precision NOT NULL,
    -- From this time on, in seconds since 1970, the new clock gave the times; -Infinity if that is not known.
    since double precision NOT NULL,
    -- The last attempt before the next step: later times were not given by the clock of this step.
    tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The keys of the rows that are left, or the last key of the previous batch. NULL means the whole part.
    rest text[],
    PRIMARY KEY (step_id, part)
);
ALTER TABLE shift_remainders ENABLE ROW LEVEL SECURITY;
