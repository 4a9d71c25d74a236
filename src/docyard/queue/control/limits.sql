-- name: pause_pool
-- Pauses or resumes a pool. Running jobs finish.
UPDATE pools SET paused = %(paused)s WHERE pool = %(name)s
RETURNING pool, pg_notify('docyard_jobs', pool)

-- name: pause_tier
-- Pauses or resumes a tier in every pool. Running jobs finish.
UPDATE tiers SET paused = %(paused)s WHERE name = %(name)s
RETURNING tier, pg_notify('docyard_jobs', '')

-- name: pause_workspace
-- Pauses or resumes a workspace in every pool. Running jobs finish.
INSERT INTO workspace_limits (workspace_id, paused)
SELECT id, %(paused)s FROM workspaces WHERE name = %(name)s
ON CONFLICT (workspace_id) DO UPDATE SET paused = excluded.paused
RETURNING workspace_id, pg_notify('docyard_jobs', '')

-- name: limit_pool
-- Limits how many jobs of a pool run concurrently on all hosts and start per second; NULL removes a limit.
UPDATE pools SET max_running = %(max_running)s, rate_per_second = %(rate)s, burst = %(burst)s,
    tokens = least(tokens, %(burst)s), refilled_at = clock_timestamp()
WHERE pool = %(name)s
RETURNING pool, pg_notify('docyard_jobs', pool)

-- name: limit_workspace
-- Limits how many jobs of a workspace run concurrently in each pool on all hosts; NULL removes the limit.
INSERT INTO workspace_limits (workspace_id, max_running)
SELECT id, %(max_running)s FROM workspaces WHERE name = %(name)s
ON CONFLICT (workspace_id) DO UPDATE SET max_running = excluded.max_running
RETURNING workspace_id, pg_notify('docyard_jobs', '')

-- name: limit_retries
-- Sets the retry budget of a workspace and the length of its period. A new period starts with the next retry.
INSERT INTO retry_budgets (workspace_id, most, period)
SELECT id, %(limit)s, make_interval(mins => %(minutes)s) FROM workspaces WHERE name = %(name)s
ON CONFLICT (workspace_id) DO UPDATE SET
    most = excluded.most, period = excluded.period, period_began = DEFAULT, spent = DEFAULT
RETURNING workspace_id

-- name: lift_empty_limits
-- Deletes limits that neither pause a workspace nor cap it.
DELETE FROM workspace_limits WHERE NOT paused AND max_running IS NULL
