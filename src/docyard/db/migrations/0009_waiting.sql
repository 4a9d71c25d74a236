-- Parents that wait for their children, for a limited time.

ALTER TABLE jobs
    ADD COLUMN parent_id uuid,
    ADD COLUMN children integer NOT NULL DEFAULT 0,
    ADD COLUMN children_left integer NOT NULL DEFAULT 0,
    ADD COLUMN children_failed integer NOT NULL DEFAULT 0,
    -- A parent waits for somebody, and not for ever.
    ADD CONSTRAINT jobs_waiting_bounded CHECK (state <> 'waiting' OR (run_at IS NOT NULL AND children_left > 0)),
    ADD CONSTRAINT jobs_children_counted CHECK (children_left BETWEEN 0 AND children AND children_failed BETWEEN 0 AND children);
CREATE INDEX jobs_by_parent ON jobs (parent_id) WHERE parent_id IS NOT NULL;
-- Finds parents that have waited too long.
CREATE INDEX jobs_waiting ON jobs (run_at) WHERE state = 'waiting';

ALTER TYPE leased_job ADD ATTRIBUTE children integer, ADD ATTRIBUTE children_failed integer;
