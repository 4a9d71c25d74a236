-- Who may touch what. The web signs in as docyard_web, which owns nothing and sees one workspace at a time.

DO $$
BEGIN
    -- Roles belong to the whole cluster, so another database may have made it, or be making it right now.
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'docyard_web') THEN
        CREATE ROLE docyard_web NOLOGIN NOINHERIT;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
GRANT USAGE ON SCHEMA public TO docyard_web;

-- Fails closed: without a workspace the setting is NULL, and nothing equals NULL.
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON workspaces TO docyard_web
    USING (id = (SELECT current_workspace())) WITH CHECK (id = (SELECT current_workspace()));
ALTER TABLE memberships ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON memberships TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE blobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON blobs TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON documents TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE stage_results ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON stage_results TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE pages ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON pages TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE renditions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON renditions TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON chunks TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON jobs TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE job_history ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON job_history TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE dead_letters ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON dead_letters TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
ALTER TABLE job_history_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE lanes ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspace_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_links ENABLE ROW LEVEL SECURITY;

GRANT SELECT ON workspaces, memberships, blobs, documents, stage_results, pages, renditions, chunks,
    jobs, job_history, dead_letters, tiers, pools, schema_migrations TO docyard_web;
GRANT INSERT ON blobs, documents, jobs, job_history, renditions TO docyard_web;
GRANT UPDATE ON documents, jobs TO docyard_web;
GRANT DELETE ON stage_results, dead_letters, jobs TO docyard_web;
-- A letter is locked before it is replayed, and locking needs the right to change something.
GRANT UPDATE (replays) ON dead_letters TO docyard_web;

-- Signing in happens before a workspace is known, so these few questions are answered by the owner.
CREATE FUNCTION redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH used AS (
        DELETE FROM public.sign_in_links WHERE token_hash = link_hash RETURNING user_id, expires_at),
    opened AS (
        INSERT INTO public.sessions (token_hash, user_id, workspace_id, csrf_token, expires_at)
        SELECT session_hash, used.user_id, home.workspace_id, csrf, now() + lasting
        FROM used CROSS JOIN LATERAL (
            SELECT m.workspace_id FROM public.memberships m JOIN public.workspaces w ON w.id = m.workspace_id
            WHERE m.user_id = used.user_id ORDER BY w.seq LIMIT 1) home
        WHERE used.expires_at > now() RETURNING 1)
    SELECT EXISTS (SELECT FROM opened)
$$;

CREATE FUNCTION sign_in_link_is_good(link_hash bytea) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM public.sign_in_links WHERE token_hash = link_hash AND expires_at > now())
$$;

CREATE FUNCTION session_identity(session_hash bytea)
RETURNS TABLE (user_id uuid, email text, workspace_id uuid, workspace_name text, role text, csrf_token text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT u.id, u.email, w.id, w.name, m.role, s.csrf_token
    FROM public.sessions s
    JOIN public.users u ON u.id = s.user_id
    JOIN public.memberships m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
    JOIN public.workspaces w ON w.id = s.workspace_id
    WHERE s.token_hash = session_hash AND s.expires_at > now()
$$;

CREATE FUNCTION session_workspaces(session_hash bytea) RETURNS TABLE (id uuid, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT w.id, w.name, m.role
    FROM public.sessions s
    JOIN public.memberships m ON m.user_id = s.user_id
    JOIN public.workspaces w ON w.id = m.workspace_id
    WHERE s.token_hash = session_hash AND s.expires_at > now() ORDER BY w.seq
$$;

CREATE FUNCTION switch_session(session_hash bytea, to_workspace uuid) RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH moved AS (
        UPDATE public.sessions s SET workspace_id = m.workspace_id
        FROM public.memberships m
        WHERE s.token_hash = session_hash AND m.user_id = s.user_id AND m.workspace_id = to_workspace RETURNING 1)
    SELECT EXISTS (SELECT FROM moved)
$$;

CREATE FUNCTION end_session(session_hash bytea) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DELETE FROM public.sessions WHERE token_hash = session_hash
$$;

-- Functions are executable by everyone unless said otherwise; claiming is the workers' alone.
REVOKE EXECUTE ON FUNCTION claim_jobs(text, uuid, integer), sweep_lanes(text), pool_allowance(text, integer),
    workspace_room(text, uuid),
    redeem_sign_in_link(bytea, bytea, text, interval), sign_in_link_is_good(bytea), session_identity(bytea),
    session_workspaces(bytea), switch_session(bytea, uuid), end_session(bytea),
    search_chunks(text, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redeem_sign_in_link(bytea, bytea, text, interval), sign_in_link_is_good(bytea),
    session_identity(bytea), session_workspaces(bytea), switch_session(bytea, uuid), end_session(bytea),
    search_chunks(text, integer, integer) TO docyard_web;
