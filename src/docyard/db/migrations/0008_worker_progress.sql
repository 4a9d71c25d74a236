-- When the main loop of a worker last completed a round. A heartbeat has its own thread, so it shows only that the
-- process runs.
ALTER TABLE workers ADD COLUMN progress_at timestamptz NOT NULL DEFAULT now();
