-- name: pause_pool
-- Stops or lets go on a pool; what runs is finished.
UPDATE pools SET paused = %(paused)s WHERE pool = %(name)s
RETURNING pool, pg_notify('docyard_jobs', pool)

-- name: pause_tier
-- Stops or lets go on a tier in every pool.
UPDATE tiers SET paused = %(paused)s WHERE name = %(name)s
RETURNING tier, pg_notify('docyard_jobs', '')

-- name: pause_workspace
-- Stops or lets go on a workspace in every pool.
INSERT INTO workspace_limits (workspace_id, paused)
SELECT id, %(paused)s FROM workspaces WHERE name = %(name)s
ON CONFLICT (workspace_id) DO UPDATE SET paused = excluded.paused
RETURNING workspace_id, pg_notify('docyard_jobs', '')

-- name: limit_pool
-- Sets how many jobs of a pool run at once on all hosts, and how many start a second; NULL lifts a limit.
UPDATE pools SET max_running = %(max_running)s, rate_per_second = %(rate)s, burst = %(burst)s,
    tokens = least(tokens, %(burst)s), refilled_at = clock_timestamp()
WHERE pool = %(name)s
RETURNING pool, pg_notify('docyard_jobs', pool)

-- name: limit_workspace
-- Sets how many jobs of a workspace run at once in each pool, on all hosts; NULL lifts the limit.
INSERT INTO workspace_limits (workspace_id, max_running)
SELECT id, %(max_running)s FROM workspaces WHERE name = %(name)s
ON CONFLICT (workspace_id) DO UPDATE SET max_running = excluded.max_running
RETURNING workspace_id, pg_notify('docyard_jobs', '')

-- name: limit_retries
-- Sets how many retries a workspace is granted in each period; the first such period begins with its next retry.
INSERT INTO retry_budgets (workspace_id, most, period)
SELECT id, %(most)s, make_interval(mins => %(minutes)s) FROM workspaces WHERE name = %(name)s
ON CONFLICT (workspace_id) DO UPDATE SET
    most = excluded.most, period = excluded.period, period_began = DEFAULT, spent = DEFAULT
RETURNING workspace_id

-- name: lift_empty_limits
-- Forgets workspaces that nothing holds back any more.
DELETE FROM workspace_limits WHERE NOT paused AND max_running IS NULL
