-- The operators' eyes: who may look after all workspaces, and what the queue looked like at one moment.

ALTER TABLE users ADD COLUMN operator boolean NOT NULL DEFAULT false;
-- Whoever installed Docyard also looks after it.
UPDATE users SET operator = true WHERE email = 'owner@localhost';

DROP FUNCTION session_identity(bytea);
CREATE FUNCTION session_identity(session_hash bytea)
RETURNS TABLE (user_id uuid, email text, workspace_id uuid, workspace_name text, role text, csrf_token text,
               operator boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT u.id, u.email, w.id, w.name, m.role, s.csrf_token, u.operator
    FROM public.sessions s
    JOIN public.users u ON u.id = s.user_id
    JOIN public.memberships m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
    JOIN public.workspaces w ON w.id = s.workspace_id
    WHERE s.token_hash = session_hash AND s.expires_at > now()
$$;
REVOKE EXECUTE ON FUNCTION session_identity(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION session_identity(bytea) TO docyard_web;

-- Counts attempts that failed; a document that completed in spite of them has recovered.
ALTER TABLE documents ADD COLUMN failures integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT documents_failures_counted CHECK (failures >= 0);
-- Finds what has ended since a moment.
CREATE INDEX documents_ended ON documents (completed_at) WHERE completed_at IS NOT NULL;
-- Finds what has not ended. Neither column changes before the end, so progress stays cheap to write.
CREATE INDEX documents_live ON documents (created_at) WHERE completed_at IS NULL AND deleted_at IS NULL;

-- What costs as much as the backlog is long is counted once per interval by one worker, never by who looks.
CREATE TABLE queue_samples (
    taken_at timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
    facts jsonb NOT NULL,
    CONSTRAINT queue_samples_facts_named CHECK (jsonb_typeof(facts) = 'object')
);
ALTER TABLE queue_samples ENABLE ROW LEVEL SECURITY;

DO $$
BEGIN
    -- Roles belong to the whole cluster, so another database may have made it, or be making it right now.
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'docyard_operator') THEN
        CREATE ROLE docyard_operator NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    -- The web role must ask to act as an operator, in each transaction; it never does so by inheriting.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'docyard_web' AND rolinherit) THEN
        ALTER ROLE docyard_web NOINHERIT;
    END IF;
    IF NOT pg_has_role('docyard_web', 'docyard_operator', 'MEMBER') THEN
        GRANT docyard_operator TO docyard_web;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    -- An owner that is no superuser may only switch to the web role, and from there on, as a member of it.
    IF current_setting('server_version_num')::integer < 160000 THEN
        IF NOT pg_has_role('docyard_web', 'MEMBER') THEN
            EXECUTE format('GRANT docyard_web TO %I', current_user);
        END IF;
    ELSIF NOT pg_has_role('docyard_web', 'SET') THEN
        EXECUTE format('GRANT docyard_web TO %I WITH INHERIT FALSE, SET TRUE', current_user);
    END IF;
-- Where the role is another's to give, the web needs an address of its own.
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    IF pg_has_role('docyard_web', 'docyard_operator', 'USAGE') THEN
        RAISE EXCEPTION 'docyard_web inherits the rights of docyard_operator: tenants would not be kept apart'
            USING HINT = 'Run: REVOKE docyard_operator FROM docyard_web; ALTER ROLE docyard_web NOINHERIT;';
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO docyard_operator;
GRANT SELECT ON tiers, pools, pool_tiers, pool_breakers, workers, dead_letters, workspaces, tallies, tally_totals,
    duties, queue_samples, retry_budgets, workspace_limits TO docyard_operator;
-- Which document, where it stands and why; not what is in it, nor what its jobs were told.
GRANT SELECT (id, workspace_id, pool, tier, priority, type, stage, document_id, state, run_at, attempts, max_attempts,
              fence, worker_id, started_at, arrived_at, created_at) ON jobs TO docyard_operator;
GRANT SELECT (id, workspace_id, name, status, stage, reason, reason_category, failures, running_seconds, created_at,
              updated_at, completed_at, deleted_at) ON documents TO docyard_operator;
-- Replaying letters.
GRANT INSERT ON jobs TO docyard_operator;
GRANT DELETE, UPDATE (replays) ON dead_letters TO docyard_operator;
GRANT UPDATE (status, reason, reason_category, failures, running_seconds, updated_at, completed_at) ON documents
    TO docyard_operator;
-- Discarding them.
GRANT INSERT, SELECT (id) ON job_history TO docyard_operator;
-- Pausing and going on.
GRANT UPDATE (paused) ON pools, tiers TO docyard_operator;
GRANT INSERT (workspace_id, paused), UPDATE (paused), DELETE ON workspace_limits TO docyard_operator;
-- Closing a breaker, and forgetting what was held against its pool.
GRANT DELETE, SELECT (pool) ON breaker_marks TO docyard_operator;
GRANT UPDATE (state, failures, successes, trips, open_until, changed_at) ON pool_breakers TO docyard_operator;

CREATE POLICY all_workspaces ON workspaces TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON documents TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON jobs TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON job_history TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON dead_letters TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON workspace_limits TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON retry_budgets TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON pool_breakers TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON breaker_marks TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON tallies TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON tally_totals TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON duties TO docyard_operator USING (true) WITH CHECK (true);
CREATE POLICY all_workspaces ON queue_samples TO docyard_operator USING (true) WITH CHECK (true);
