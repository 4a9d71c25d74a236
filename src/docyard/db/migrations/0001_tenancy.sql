-- Roles, workspaces (the tenants), users, sign-in links and sessions.

-- The web app uses docyard_web, which owns no objects and sees one workspace per transaction. An operator's transaction
-- switches to docyard_operator, which sees the queue of all workspaces but none of their content.
-- Roles are shared by the whole cluster: a migration of another database may have created them, or may be doing so now.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'docyard_web') THEN
        CREATE ROLE docyard_web NOLOGIN NOINHERIT;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'docyard_operator') THEN
        CREATE ROLE docyard_operator NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    -- The web role must switch explicitly, in each transaction. It must never inherit the operator's privileges.
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
    -- An owner that is not a superuser must be a member of the web role to switch to it.
    IF current_setting('server_version_num')::integer < 160000 THEN
        IF NOT pg_has_role('docyard_web', 'MEMBER') THEN
            EXECUTE format('GRANT docyard_web TO %I', current_user);
        END IF;
    ELSIF NOT pg_has_role('docyard_web', 'SET') THEN
        EXECUTE format('GRANT docyard_web TO %I WITH INHERIT FALSE, SET TRUE', current_user);
    END IF;
-- If another owner created the role, the web app needs DOCYARD_WEB_DATABASE_URL.
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    IF pg_has_role('docyard_web', 'docyard_operator', 'USAGE') THEN
        RAISE EXCEPTION 'docyard_web inherits the privileges of docyard_operator: workspaces would not be isolated'
            USING HINT = 'Run: REVOKE docyard_operator FROM docyard_web; ALTER ROLE docyard_web NOINHERIT;';
    END IF;
END $$;
GRANT USAGE ON SCHEMA public TO docyard_web, docyard_operator;

-- Returns the workspace of this transaction. Without one it returns NULL, so that no row is visible.
-- Row-level security policies use this function.
CREATE FUNCTION current_workspace() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('docyard.workspace', true), '')::uuid;

CREATE TABLE workspaces (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Names are displayed on one line.
    CONSTRAINT workspaces_name_shown CHECK (name = btrim(name) AND length(name) BETWEEN 1 AND 200)
);

CREATE TABLE users (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email text NOT NULL UNIQUE,
    -- Operators manage the queue of all workspaces.
    operator boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Addresses are stored in lower case, so that each user has one row.
    CONSTRAINT users_email_lower CHECK (email = lower(email) AND email LIKE '_%@_%')
);

CREATE TABLE memberships (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL,
    PRIMARY KEY (user_id, workspace_id),
    -- A viewer can read; an editor can also add and retry documents; an admin can also manage users.
    CONSTRAINT memberships_role_known CHECK (role IN ('viewer', 'editor', 'admin'))
);

CREATE TABLE sign_in_links (
    token_hash bytea PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    -- Only the SHA-256 of a token is stored, so that reading this table does not allow signing in.
    CONSTRAINT sign_in_links_hashed CHECK (length(token_hash) = 32)
);

CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    workspace_id uuid NOT NULL,
    csrf_token text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT sessions_hashed CHECK (length(token_hash) = 32),
    -- A session belongs to a workspace of its user, and ends with the membership.
    FOREIGN KEY (user_id, workspace_id) REFERENCES memberships (user_id, workspace_id) ON DELETE CASCADE
);
