-- name: get_or_create_workspace
-- Returns the workspace with this name, created if missing.
WITH made AS (INSERT INTO workspaces (name) VALUES (%(name)s) ON CONFLICT (name) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM workspaces WHERE name = %(name)s LIMIT 1

-- name: list_workspaces
-- Returns all workspaces, oldest first.
SELECT id, name FROM workspaces ORDER BY seq

-- name: get_or_create_user
-- Returns the user with this email address, created if missing.
WITH made AS (INSERT INTO users (email) VALUES (lower(%(email)s)) ON CONFLICT (email) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM users WHERE email = lower(%(email)s) LIMIT 1

-- name: get_or_create_owner
-- Returns the user with this email address, created as an operator if missing; a revoked right is not restored.
WITH made AS (
    INSERT INTO users (email, operator) VALUES (lower(%(email)s), true) ON CONFLICT (email) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM users WHERE email = lower(%(email)s) LIMIT 1

-- name: set_operator
-- Grants or revokes the operator right of a user.
UPDATE users SET operator = %(operator)s WHERE email = lower(%(email)s) RETURNING id

-- name: set_role
-- Sets the role of a user in a workspace.
INSERT INTO memberships (workspace_id, user_id, role) VALUES (%(workspace_id)s, %(user_id)s, %(role)s)
ON CONFLICT (user_id, workspace_id) DO UPDATE SET role = excluded.role

-- name: create_link
-- Saves the hash of a sign-in token.
INSERT INTO sign_in_links (token_hash, user_id, expires_at)
VALUES (%(token_hash)s, %(user_id)s, now() + make_interval(mins => %(minutes)s))

-- name: drop_expired
-- Deletes expired sign-in links and sessions.
WITH links AS (DELETE FROM sign_in_links WHERE expires_at < now())
DELETE FROM sessions WHERE expires_at < now()

-- name: is_link_valid
-- Returns whether a sign-in link is valid.
SELECT sign_in_link_is_good(%(token_hash)s) AS good

-- name: redeem_link
-- Uses a sign-in link and creates a session.
SELECT redeem_sign_in_link(%(link_hash)s, %(session_hash)s, %(csrf)s, make_interval(days => %(days)s)) AS opened

-- name: get_identity
-- Returns the user, workspace and role of a session.
SELECT * FROM session_identity(%(session_hash)s)

-- name: session_workspaces
-- Returns the workspaces that a session can switch to.
SELECT * FROM session_workspaces(%(session_hash)s)

-- name: switch_session
-- Switches a session to another workspace of its user.
SELECT switch_session(%(session_hash)s, %(workspace_id)s) AS switched

-- name: end_session
-- Deletes a session.
SELECT end_session(%(session_hash)s)

-- name: find_user
-- Returns the user with this email address.
SELECT id FROM users WHERE email = lower(%(email)s)

-- name: get_role
-- Returns the role of a user in a workspace.
SELECT role FROM memberships WHERE workspace_id = %(workspace_id)s AND user_id = %(user_id)s

-- name: remove_role
-- Removes the role of a user in a workspace; the user's sessions there end.
DELETE FROM memberships WHERE workspace_id = %(workspace_id)s AND user_id = %(user_id)s RETURNING user_id

-- name: list_people
-- Returns all users with their workspaces and roles.
SELECT u.email, w.name AS workspace, m.role, u.operator
FROM users u LEFT JOIN memberships m ON m.user_id = u.id LEFT JOIN workspaces w ON w.id = m.workspace_id
ORDER BY u.email, w.seq
