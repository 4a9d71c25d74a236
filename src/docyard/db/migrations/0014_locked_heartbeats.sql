-- The last heartbeat of workers whose row another transaction had locked. A later heartbeat in the row of the worker
-- counts instead.
CREATE TABLE locked_heartbeats (
    -- Not a foreign key, which would wait for the lock.
    worker_id uuid PRIMARY KEY,
    heartbeat_at timestamptz NOT NULL,
    progress_at timestamptz NOT NULL
);
ALTER TABLE locked_heartbeats ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_workspaces ON locked_heartbeats TO docyard_operator USING (true) WITH CHECK (true);
GRANT SELECT ON locked_heartbeats TO docyard_operator;
