-- Sign-in links and sessions. Sign-in happens before a workspace is known, so these functions run as the owner.

-- Deletes a sign-in link and, if it is not expired, creates a session in the user's oldest workspace.
CREATE OR REPLACE FUNCTION redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    -- The link of a user without a role is kept, so that it works once the user has one.
    WITH home AS (
        SELECT m.workspace_id FROM public.sign_in_links l
        JOIN public.memberships m ON m.user_id = l.user_id
        JOIN public.workspaces w ON w.id = m.workspace_id
        WHERE l.token_hash = link_hash ORDER BY w.seq LIMIT 1),
    used AS (
        DELETE FROM public.sign_in_links l USING home
        WHERE l.token_hash = link_hash AND l.expires_at > now() RETURNING l.user_id, home.workspace_id),
    opened AS (
        INSERT INTO public.sessions (token_hash, user_id, workspace_id, csrf_token, expires_at)
        SELECT session_hash, used.user_id, used.workspace_id, csrf, now() + lasting FROM used RETURNING 1)
    SELECT EXISTS (SELECT FROM opened)
$$;

CREATE OR REPLACE FUNCTION sign_in_link_is_good(link_hash bytea) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM public.sign_in_links WHERE token_hash = link_hash AND expires_at > now())
$$;

CREATE OR REPLACE FUNCTION session_identity(session_hash bytea)
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

CREATE OR REPLACE FUNCTION session_workspaces(session_hash bytea) RETURNS TABLE (id uuid, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT w.id, w.name, m.role
    FROM public.sessions s
    JOIN public.memberships m ON m.user_id = s.user_id
    JOIN public.workspaces w ON w.id = m.workspace_id
    WHERE s.token_hash = session_hash AND s.expires_at > now() ORDER BY w.seq
$$;

CREATE OR REPLACE FUNCTION switch_session(session_hash bytea, to_workspace uuid) RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH moved AS (
        UPDATE public.sessions s SET workspace_id = m.workspace_id
        FROM public.memberships m
        WHERE s.token_hash = session_hash AND m.user_id = s.user_id AND m.workspace_id = to_workspace RETURNING 1)
    SELECT EXISTS (SELECT FROM moved)
$$;

CREATE OR REPLACE FUNCTION end_session(session_hash bytea) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DELETE FROM public.sessions WHERE token_hash = session_hash
$$;

REVOKE EXECUTE ON FUNCTION redeem_sign_in_link(bytea, bytea, text, interval), sign_in_link_is_good(bytea), session_identity(bytea), session_workspaces(bytea), switch_session(bytea, uuid), end_session(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redeem_sign_in_link(bytea, bytea, text, interval), sign_in_link_is_good(bytea), session_identity(bytea), session_workspaces(bytea), switch_session(bytea, uuid), end_session(bytea) TO docyard_web;
