-- name: read_clock
-- Returns the database's clock, and the sum of the steps by which the stored times were shifted.
SELECT extract(epoch FROM clock_timestamp())::float8 AS database,
    coalesce((SELECT total FROM clock_steps ORDER BY id DESC LIMIT 1), 0)::float8 AS shifted

-- name: newest_heartbeat
-- Returns the time of the latest heartbeat of any worker, which is in the future only after a step back.
SELECT extract(epoch FROM max(heartbeat_at))::float8 AS newest FROM workers

-- name: note_reading
-- Records the time up to which this worker has seen the database's clock advance like its own.
UPDATE workers SET clock_checked_at = to_timestamp(%(until)s) WHERE id = %(id)s

-- name: is_refuted
-- Returns whether another worker has seen the database's clock advance like its own over the whole period of the step.
SELECT EXISTS (
    SELECT FROM workers WHERE id <> %(id)s AND state IN ('alive', 'draining')
        AND started_at <= to_timestamp(%(began)s) AND clock_checked_at > to_timestamp(%(ended)s)) AS refuted

-- name: lock_clock
-- Tries to lock the handling of a step for this transaction, and limits its lock waits.
SELECT pg_try_advisory_xact_lock(1685285995, hashtext('docyard.clock')) AS locked, set_config('lock_timeout', '2s', true)

-- name: save_step
-- Adds a step to the log.
INSERT INTO clock_steps (seconds, total, worker_id)
SELECT %(seconds)s, %(seconds)s + coalesce((SELECT total FROM clock_steps ORDER BY id DESC LIMIT 1), 0), %(worker_id)s

-- name: prune_steps
-- Deletes steps older than this number of days, except the latest, which has the total.
DELETE FROM clock_steps WHERE noticed_at < clock_timestamp() - make_interval(days => %(days)s)
    AND id < (SELECT max(id) FROM clock_steps)

-- name: latest_step
-- Returns the latest step.
SELECT noticed_at, seconds, worker_id, extract(epoch FROM clock_timestamp() - noticed_at)::float8 AS age
FROM clock_steps ORDER BY id DESC LIMIT 1

-- name: shift_workers
-- Shifts the heartbeats, last rounds and start times of workers.
UPDATE workers SET
    heartbeat_at = shift_time(heartbeat_at, %(seconds)s, %(since)s, %(until)s),
    progress_at = shift_time(progress_at, %(seconds)s, %(since)s, %(until)s),
    started_at = shift_time(started_at, %(seconds)s, %(since)s, %(until)s),
    clock_checked_at = shift_time(clock_checked_at, %(seconds)s, %(since)s, %(until)s)

-- name: shift_pools
-- Shifts the last refills and sweeps of pools. A sweep during the step measured a wrong duration.
UPDATE pools SET sweep_cost = DEFAULT,
    refilled_at = shift_time(refilled_at, %(seconds)s, %(since)s, %(until)s),
    swept_at = shift_time(swept_at, %(seconds)s, %(since)s, %(until)s)

-- name: shift_breakers
-- Shifts the periods of circuit breakers. The end of a pause was set when the breaker changed.
UPDATE pool_breakers SET
    window_began = shift_time(window_began, %(seconds)s, %(since)s, %(until)s),
    changed_at = shift_time(changed_at, %(seconds)s, %(since)s, %(until)s),
    open_until = open_until + (shift_time(changed_at, %(seconds)s, %(since)s, %(until)s) - changed_at)

-- name: shift_marks
-- Shifts the start times of the jobs whose outcomes the breakers have not seen yet.
UPDATE breaker_marks SET started_at = shift_time(started_at, %(seconds)s, %(since)s, %(until)s)

-- name: shift_budgets
-- Shifts the periods of retry budgets.
UPDATE retry_budgets SET period_began = shift_time(period_began, %(seconds)s, %(since)s, %(until)s)

-- name: shift_samples
-- Shifts the samples. After a step back, the newest also forgets up to when ended documents were counted.
UPDATE queue_samples s SET taken_at = shift_time(taken_at, %(seconds)s, %(since)s, %(until)s),
    facts = CASE WHEN %(seconds)s < 0 AND taken_at = (SELECT max(taken_at) FROM queue_samples)
        THEN jsonb_set(facts, '{until}', to_jsonb((facts ->> 'until')::timestamptz + make_interval(secs => %(seconds)s))) ELSE facts END

-- name: await_jobs
-- Waits for transactions that have locked jobs, up to lock_timeout.
SELECT count(*) FROM (SELECT FROM jobs WHERE state <> 'pending' ORDER BY id FOR UPDATE) locked

-- name: shift_jobs
-- Shifts the times of scheduled, running and waiting jobs, except those that an open transaction has locked.
-- The due time was set when the job was created, last failed or held; the deadline, deadline_seconds before it passes.
UPDATE jobs j SET
    run_at = run_at + (shift_time(w.written_at, %(seconds)s, %(since)s, %(until)s) - w.written_at),
    deadline_at = deadline_at + (shift_time(deadline_at - w.allowed, %(seconds)s, %(since)s, %(until)s)
        - (deadline_at - w.allowed)),
    started_at = shift_time(started_at, %(seconds)s, %(since)s, %(until)s),
    arrived_at = shift_time(arrived_at, %(seconds)s, %(since)s, %(until)s),
    created_at = shift_time(created_at, %(seconds)s, %(since)s, %(until)s)
FROM (
    SELECT k.id, make_interval(secs => p.deadline_seconds) AS allowed,
        CASE WHEN is_held(k.state, k.started_at) THEN k.started_at
             ELSE greatest(k.created_at, (k.failure_history -> -1 ->> 'at')::timestamptz) END AS written_at
    FROM jobs k JOIN pools p ON p.pool = k.pool WHERE k.state <> 'pending' AND NOT is_parked(k.state, k.run_at)
    FOR UPDATE OF k SKIP LOCKED) w
WHERE j.id = w.id

-- name: pull_pending_jobs
-- Moves the arrival of a batch of pending jobs from the future to now, which keeps their order; new jobs come after them.
-- Only a step back puts an arrival in the future.
WITH ahead AS MATERIALIZED (
    SELECT id FROM jobs
    WHERE state = 'pending' AND greatest(arrived_at, created_at) > clock_timestamp()
    ORDER BY arrived_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE jobs SET arrived_at = least(arrived_at, clock_timestamp()), created_at = least(created_at, clock_timestamp())
WHERE id = ANY (ARRAY(SELECT id FROM ahead))
