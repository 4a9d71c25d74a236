-- Workspaces (the tenants), people, their roles, and how they sign in.

CREATE TABLE workspaces (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    name text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- A name is shown in one line.
    CONSTRAINT workspaces_name_shown CHECK (name = btrim(name) AND length(name) BETWEEN 1 AND 200)
);

CREATE TABLE users (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- One person, one row, however the address is written.
    CONSTRAINT users_email_lower CHECK (email = lower(email) AND email LIKE '_%@_%')
);

CREATE TABLE memberships (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL,
    PRIMARY KEY (user_id, workspace_id),
    -- viewer reads, editor also adds and retries, admin also manages people.
    CONSTRAINT memberships_role_known CHECK (role IN ('viewer', 'editor', 'admin'))
);

CREATE TABLE sign_in_links (
    token_hash bytea PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL,
    -- Only a SHA-256 is kept: whoever reads this table cannot sign in with it.
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
    -- A session can only look at a workspace its user belongs to, and ends with the membership.
    FOREIGN KEY (user_id, workspace_id) REFERENCES memberships (user_id, workspace_id) ON DELETE CASCADE
);

-- The workspace of this transaction; NULL, and so no row at all, when none was set.
CREATE FUNCTION current_workspace() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('docyard.workspace', true), '')::uuid;
