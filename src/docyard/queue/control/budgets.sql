-- name: drop_idle_budgets
-- Deletes retry budgets with default limits whose period is over.
DELETE FROM retry_budgets WHERE workspace_id IN (
    SELECT workspace_id FROM retry_budgets
    WHERE most = 1000 AND period = interval '1 hour' AND period_began + period < clock_timestamp()
    -- A settlement that has locked a budget is about to charge it, so locked rows are skipped.
    FOR UPDATE SKIP LOCKED)
RETURNING workspace_id
