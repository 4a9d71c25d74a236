-- Steps of the database's clock. A worker that notices one shifts the stored times by it and adds a row.
CREATE TABLE clock_steps (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Negative if the clock was set back.
    seconds double precision NOT NULL,
    -- The sum of all steps up to this one.
    total double precision NOT NULL,
    worker_id uuid NOT NULL
);
ALTER TABLE clock_steps ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_workspaces ON clock_steps TO docyard_operator USING (true) WITH CHECK (true);
GRANT SELECT ON clock_steps TO docyard_operator;

-- The time up to which this worker has seen the database's clock advance like its own.
ALTER TABLE workers ADD COLUMN clock_checked_at timestamptz;
