-- Records every committed transition of every job. Only tests install it.

CREATE TABLE chaos_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- The snapshot with which a claim read the arrivals of jobs. It must not pass over a job that is visible in it.
    seen pg_snapshot,
    source text NOT NULL,
    job uuid NOT NULL,
    type text NOT NULL,
    pool text NOT NULL,
    tier smallint NOT NULL,
    workspace uuid NOT NULL,
    priority integer,
    arrived_at timestamptz NOT NULL,
    old_state text,
    old_fence bigint,
    old_worker uuid,
    old_attempts integer,
    old_failures integer,
    state text,
    fence bigint,
    worker uuid,
    attempts integer,
    failures integer,
    max_attempts integer,
    category text,
    stamped_at timestamptz,
    run_at timestamptz
);

CREATE FUNCTION chaos_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Recorded events cannot be changed';
END $$;
CREATE TRIGGER chaos_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chaos_events
    FOR EACH STATEMENT EXECUTE FUNCTION chaos_refuse_change();

CREATE FUNCTION chaos_write_job(snapshot pg_snapshot, old_row jobs, new_row jobs) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    one jobs := CASE WHEN new_row.id IS NULL THEN old_row ELSE new_row END;
BEGIN
    INSERT INTO chaos_events (
        seen, source, job, type, pool, tier, workspace, priority, arrived_at,
        old_state, old_fence, old_worker, old_attempts, old_failures,
        state, fence, worker, attempts, failures, max_attempts, category, stamped_at, run_at)
    VALUES (
        CASE WHEN old_row.state = 'pending' AND new_row.state = 'running' THEN snapshot END,
        'jobs', one.id, one.type, one.pool, one.tier, one.workspace_id, one.priority, one.arrived_at,
        old_row.state, old_row.fence, old_row.worker_id, old_row.attempts,
        jsonb_array_length(old_row.failure_history),
        new_row.state, new_row.fence, new_row.worker_id, new_row.attempts,
        jsonb_array_length(new_row.failure_history), one.max_attempts,
        new_row.failure_history -> -1 ->> 'category', new_row.started_at, new_row.run_at);
END $$;

CREATE FUNCTION chaos_job_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM chaos_write_job(nullif(current_setting('chaos.arrivals_read', true), '')::pg_snapshot, OLD, NEW);
    RETURN NULL;
END $$;

-- STABLE, because a stable function has the snapshot of the statement that fired it. The snapshot of a volatile function
-- would include jobs that became visible after the claim had read the arrivals.
CREATE FUNCTION chaos_arrivals_read() RETURNS trigger LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM set_config('chaos.arrivals_read', pg_current_snapshot()::text, true);
    RETURN NULL;
END $$;

CREATE FUNCTION chaos_history_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    one job_history := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO chaos_events (
        source, job, type, pool, tier, workspace, arrived_at, old_state, old_fence, old_worker, old_attempts,
        state, fence, worker, attempts, failures, category, stamped_at)
    VALUES (
        'job_history', one.id, one.type, one.pool, one.tier, one.workspace_id, one.arrived_at,
        OLD.outcome, OLD.fence, OLD.worker_id, OLD.attempts,
        NEW.outcome, NEW.fence, NEW.worker_id, NEW.attempts, jsonb_array_length(NEW.failure_history),
        NEW.failure_history -> -1 ->> 'category', NEW.finished_at);
    RETURN NULL;
END $$;

CREATE FUNCTION chaos_letter_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    one dead_letters := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO chaos_events (
        source, job, type, pool, tier, workspace, priority, arrived_at, old_state, old_fence, old_attempts,
        state, fence, attempts, failures, max_attempts, category, stamped_at)
    VALUES (
        'dead_letters', one.id, one.type, one.pool, one.tier, one.workspace_id, one.priority, one.arrived_at,
        CASE WHEN TG_OP <> 'INSERT' THEN 'dead' END, OLD.fence, OLD.attempts,
        CASE WHEN TG_OP <> 'DELETE' THEN 'dead' END, NEW.fence, NEW.attempts,
        jsonb_array_length(NEW.failure_history), one.max_attempts, NEW.category, NEW.died_at);
    RETURN NULL;
END $$;

CREATE TRIGGER chaos_jobs AFTER INSERT OR UPDATE OR DELETE ON jobs
    FOR EACH ROW EXECUTE FUNCTION chaos_job_changed();
CREATE TRIGGER chaos_arrivals AFTER DELETE ON arrivals
    FOR EACH STATEMENT EXECUTE FUNCTION chaos_arrivals_read();
CREATE TRIGGER chaos_history AFTER INSERT OR UPDATE OR DELETE ON job_history
    FOR EACH ROW EXECUTE FUNCTION chaos_history_changed();
CREATE TRIGGER chaos_letters AFTER INSERT OR UPDATE OR DELETE ON dead_letters
    FOR EACH ROW EXECUTE FUNCTION chaos_letter_changed();

-- Locked jobs that a claim skipped although they precede those it claimed.
CREATE TABLE chaos_locked (xact xid8 NOT NULL DEFAULT pg_current_xact_id(), job uuid NOT NULL);

CREATE FUNCTION chaos_write_locked(job uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
    INSERT INTO chaos_locked (job) VALUES (job)
$$;

-- STABLE, so that it has the snapshot of the claim. A row that is or was locked has an xmax; an untouched row does not.
CREATE FUNCTION chaos_look_for_locks() RETURNS trigger LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM chaos_write_locked(p.id)
    FROM (SELECT DISTINCT ON (n.pool, n.tier, n.workspace_id) n.pool, n.tier, n.workspace_id,
              n.priority, n.arrived_at, n.id
          FROM new_rows n JOIN old_rows o ON o.id = n.id
          WHERE o.state = 'pending' AND n.state = 'running'
          ORDER BY n.pool, n.tier, n.workspace_id, n.priority DESC, n.arrived_at DESC, n.id DESC) AS last
    JOIN jobs p ON p.state = 'pending' AND p.pool = last.pool AND p.tier = last.tier
        AND p.workspace_id = last.workspace_id
        AND (p.priority, p.arrived_at, p.id) < (last.priority, last.arrived_at, last.id)
    WHERE p.xmax::text <> '0' AND NOT EXISTS (SELECT FROM new_rows n WHERE n.id = p.id);
    RETURN NULL;
END $$;
CREATE TRIGGER chaos_locks AFTER UPDATE ON jobs
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION chaos_look_for_locks();

-- Effects of jobs, without a unique constraint, so that an effect that happens twice is recorded twice.
CREATE TABLE chaos_effects (
    job uuid NOT NULL,
    fence bigint NOT NULL,
    worker uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The time according to the worker's clock.
    own_clock timestamptz NOT NULL
);
-- Late results of stalled jobs, and whether they were accepted.
CREATE TABLE chaos_late (job uuid NOT NULL, fence bigint NOT NULL, accepted boolean NOT NULL);
-- Kinds of toxic jobs whose cause of failure was removed.
CREATE TABLE chaos_mended (kind text NOT NULL);
