-- name: drop_idle_budgets
-- Drops retry budgets that hold nothing but the table's defaults and whose period is over.
DELETE FROM retry_budgets WHERE workspace_id IN (
    SELECT workspace_id FROM retry_budgets
    WHERE most = 1000 AND period = interval '1 hour' AND period_began + period < clock_timestamp()
    -- Who settles retries has locked its budget and must not find it gone.
    FOR UPDATE SKIP LOCKED)
RETURNING workspace_id
