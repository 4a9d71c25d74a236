-- name: get_or_create_workspace
-- The workspace of that name, made if it is new.
WITH made AS (INSERT INTO workspaces (name) VALUES (%(name)s) ON CONFLICT (name) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM workspaces WHERE name = %(name)s LIMIT 1

-- name: list_workspaces
-- Every workspace, oldest first.
SELECT id, name FROM workspaces ORDER BY seq

-- name: get_or_create_user
-- The person with that address, made if new.
WITH made AS (INSERT INTO users (email) VALUES (lower(%(email)s)) ON CONFLICT (email) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM users WHERE email = lower(%(email)s) LIMIT 1

-- name: get_or_create_owner
-- The person with that address, made an operator if new; a right that was taken away stays away.
WITH made AS (
    INSERT INTO users (email, operator) VALUES (lower(%(email)s), true) ON CONFLICT (email) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM users WHERE email = lower(%(email)s) LIMIT 1

-- name: set_operator
-- Lets a person look after all workspaces, or no longer.
UPDATE users SET operator = %(operator)s WHERE email = lower(%(email)s) RETURNING id

-- name: set_role
-- Gives a person a role in a workspace.
INSERT INTO memberships (workspace_id, user_id, role) VALUES (%(workspace_id)s, %(user_id)s, %(role)s)
ON CONFLICT (user_id, workspace_id) DO UPDATE SET role = excluded.role

-- name: create_link
-- Keeps the hash of a sign-in link.
INSERT INTO sign_in_links (token_hash, user_id, expires_at)
VALUES (%(token_hash)s, %(user_id)s, now() + make_interval(mins => %(minutes)s))

-- name: drop_expired
-- Forgets links and sessions that are over.
WITH links AS (DELETE FROM sign_in_links WHERE expires_at < now())
DELETE FROM sessions WHERE expires_at < now()

-- name: link_is_good
-- Whether this link can still be used.
SELECT sign_in_link_is_good(%(token_hash)s) AS good

-- name: redeem_link
-- Uses a link up and opens a session.
SELECT redeem_sign_in_link(%(link_hash)s, %(session_hash)s, %(csrf)s, make_interval(days => %(days)s)) AS opened

-- name: identity
-- Who a session belongs to, in which workspace and role.
SELECT * FROM session_identity(%(session_hash)s)

-- name: session_workspaces
-- The workspaces a session may switch to.
SELECT * FROM session_workspaces(%(session_hash)s)

-- name: switch_session
-- Moves a session to another workspace of its user.
SELECT switch_session(%(session_hash)s, %(workspace_id)s) AS switched

-- name: end_session
-- Signs out.
SELECT end_session(%(session_hash)s)

-- name: user_with
-- The person with that address.
SELECT id FROM users WHERE email = lower(%(email)s)

-- name: role_of
-- A person's role in a workspace.
SELECT role FROM memberships WHERE workspace_id = %(workspace_id)s AND user_id = %(user_id)s

-- name: remove_role
-- Takes a role away; the person's sessions there end with it.
DELETE FROM memberships WHERE workspace_id = %(workspace_id)s AND user_id = %(user_id)s RETURNING user_id

-- name: list_people
-- Everybody with their workspaces and roles.
SELECT u.email, w.name AS workspace, m.role, u.operator
FROM users u LEFT JOIN memberships m ON m.user_id = u.id LEFT JOIN workspaces w ON w.id = m.workspace_id
ORDER BY u.email, w.seq
