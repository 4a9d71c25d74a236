-- name: begin_shift
-- Adds a step to the log, and all parts of its shift to the remainders.
WITH step AS (
    INSERT INTO clock_steps (seconds, total, worker_id)
    SELECT %(seconds)s, %(seconds)s + coalesce((SELECT total FROM clock_steps ORDER BY id DESC LIMIT 1), 0), %(worker_id)s
    RETURNING id
)
INSERT INTO shift_remainders (step_id, part, seconds, since)
SELECT step.id, p.part, %(seconds)s, %(since)s FROM step, unnest(%(parts)s::text[]) AS p (part)

-- name: remainders
-- Returns what remains to be shifted by each step, and limits lock waits. The clock of the latest step still gives times.
SELECT r.step_id, r.part, r.seconds, r.since, r.rest,
    CASE WHEN r.step_id < (SELECT max(id) FROM clock_steps) THEN extract(epoch FROM r.tried_at)::float8 END AS until,
    extract(epoch FROM clock_timestamp() - s.noticed_at)::float8 AS age,
    set_config('lock_timeout', '100ms', true)
FROM shift_remainders r JOIN clock_steps s ON s.id = r.step_id

-- name: save_remainder
-- Saves what remains of a part.
UPDATE shift_remainders SET rest = %(rest)s,
    tried_at = CASE WHEN step_id < (SELECT max(id) FROM clock_steps) THEN tried_at ELSE clock_timestamp() END
WHERE step_id = %(step_id)s AND part = %(part)s

-- name: end_part
-- Deletes the remainder of a part that is done.
DELETE FROM shift_remainders WHERE step_id = %(step_id)s AND part = %(part)s

-- name: shift_workers
-- Shifts the heartbeats, last rounds and start times of workers; returns those that another transaction has locked.
WITH chosen AS (
    SELECT id FROM workers WHERE %(rest)s::uuid[] IS NULL OR id = ANY (%(rest)s::uuid[])
), shifted AS (
    UPDATE workers SET
        heartbeat_at = shift_time(heartbeat_at, %(seconds)s, %(since)s, %(until)s),
        progress_at = shift_time(progress_at, %(seconds)s, %(since)s, %(until)s),
        started_at = shift_time(started_at, %(seconds)s, %(since)s, %(until)s),
        clock_checked_at = shift_time(clock_checked_at, %(seconds)s, %(since)s, %(until)s)
    WHERE id = ANY (ARRAY(SELECT w.id FROM workers w JOIN chosen USING (id) FOR UPDATE OF w SKIP LOCKED))
    RETURNING id
)
SELECT id::text AS key FROM chosen EXCEPT SELECT id::text FROM shifted ORDER BY key

-- name: shift_pools
-- Shifts the last refills and sweeps of pools; returns those that another transaction has locked.
-- A sweep during the step measured a wrong duration.
WITH chosen AS (
    SELECT pool FROM pools WHERE %(rest)s::text[] IS NULL OR pool = ANY (%(rest)s::text[])
), shifted AS (
    UPDATE pools SET sweep_cost = DEFAULT,
        refilled_at = shift_time(refilled_at, %(seconds)s, %(since)s, %(until)s),
        swept_at = shift_time(swept_at, %(seconds)s, %(since)s, %(until)s)
    WHERE pool = ANY (ARRAY(SELECT p.pool FROM pools p JOIN chosen USING (pool) FOR UPDATE OF p SKIP LOCKED))
    RETURNING pool
)
SELECT pool AS key FROM chosen EXCEPT SELECT pool FROM shifted ORDER BY key

-- name: shift_breakers
-- Shifts the periods of circuit breakers; returns those that another transaction has locked.
-- The end of a pause was set when the breaker changed.
WITH chosen AS (
    SELECT pool FROM pool_breakers WHERE %(rest)s::text[] IS NULL OR pool = ANY (%(rest)s::text[])
), shifted AS (
    UPDATE pool_breakers SET
        window_began = shift_time(window_began, %(seconds)s, %(since)s, %(until)s),
        changed_at = shift_time(changed_at, %(seconds)s, %(since)s, %(until)s),
        open_until = open_until + (shift_time(changed_at, %(seconds)s, %(since)s, %(until)s) - changed_at)
    WHERE pool = ANY (ARRAY(SELECT b.pool FROM pool_breakers b JOIN chosen USING (pool) FOR UPDATE OF b SKIP LOCKED))
    RETURNING pool
)
SELECT pool AS key FROM chosen EXCEPT SELECT pool FROM shifted ORDER BY key

-- name: shift_marks
-- Shifts the start times of the jobs whose outcomes the breakers have not seen yet. Locked ones are being counted.
WITH shifted AS (
    UPDATE breaker_marks SET started_at = shift_time(started_at, %(seconds)s, %(since)s, %(until)s)
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM breaker_marks FOR UPDATE SKIP LOCKED))
)
SELECT '' AS key WHERE false

-- name: shift_budgets
-- Shifts the periods of retry budgets; returns those that another transaction has locked.
WITH chosen AS (
    SELECT workspace_id FROM retry_budgets WHERE %(rest)s::uuid[] IS NULL OR workspace_id = ANY (%(rest)s::uuid[])
), shifted AS (
    UPDATE retry_budgets SET period_began = shift_time(period_began, %(seconds)s, %(since)s, %(until)s)
    WHERE workspace_id = ANY (
        ARRAY(SELECT b.workspace_id FROM retry_budgets b JOIN chosen USING (workspace_id) FOR UPDATE OF b SKIP LOCKED))
    RETURNING workspace_id
)
SELECT workspace_id::text AS key FROM chosen EXCEPT SELECT workspace_id::text FROM shifted ORDER BY key

-- name: shift_samples
-- Shifts the samples; returns those that another transaction has locked. After a step back, the newest also forgets up
-- to when ended documents were counted.
WITH chosen AS (
    SELECT taken_at FROM queue_samples
    WHERE %(rest)s::timestamptz[] IS NULL OR taken_at = ANY (%(rest)s::timestamptz[])
), free AS MATERIALIZED (
    SELECT s.taken_at FROM queue_samples s JOIN chosen USING (taken_at) FOR UPDATE OF s SKIP LOCKED
), shifted AS (
    UPDATE queue_samples SET taken_at = shift_time(taken_at, %(seconds)s, %(since)s, %(until)s),
        facts = CASE WHEN %(seconds)s < 0 AND taken_at = (SELECT max(taken_at) FROM queue_samples)
            THEN jsonb_set(facts, '{until}',
                to_jsonb((facts ->> 'until')::timestamptz + make_interval(secs => %(seconds)s))) ELSE facts END
    WHERE taken_at = ANY (ARRAY(SELECT taken_at FROM free))
)
SELECT taken_at::text AS key FROM chosen EXCEPT SELECT taken_at::text FROM free ORDER BY key

-- name: shift_jobs
-- Shifts the times of a batch of scheduled, running and waiting jobs, and of those that were locked before. Returns the
-- jobs of the batch, and which of all these jobs are locked.
-- A due time was set when the job was created, last failed, was snoozed or held. If it lets the job wait for its retry
-- budget, it was computed from the period of the budget. A deadline was set deadline_seconds before it passes.
WITH batch AS MATERIALIZED (
    SELECT id FROM jobs WHERE id > %(cursor)s::uuid AND state <> 'pending' ORDER BY id LIMIT %(limit)s
), chosen AS MATERIALIZED (
    SELECT id, true AS is_new FROM batch UNION ALL SELECT id, false FROM jobs
    WHERE id = ANY (%(locked)s::uuid[]) AND state <> 'pending'
), free AS MATERIALIZED (
    SELECT k.id, make_interval(secs => p.deadline_seconds) AS allowed, is_parked(k.state, k.run_at) AS parked,
        CASE WHEN is_held(k.state, k.started_at) THEN k.started_at
             WHEN k.failure_history -> -1 ? 'postponed_until' THEN to_timestamp(0)
             ELSE coalesce((k.failure_history -> -1 ->> 'at')::timestamptz, k.created_at) END AS written_at
    FROM jobs k JOIN chosen c ON c.id = k.id JOIN pools p ON p.pool = k.pool WHERE k.state <> 'pending'
    FOR UPDATE OF k SKIP LOCKED
), shifted AS (
    UPDATE jobs j SET
        run_at = run_at + (shift_time(w.written_at, %(seconds)s, %(since)s, %(until)s) - w.written_at),
        deadline_at = deadline_at + (shift_time(deadline_at - w.allowed, %(seconds)s, %(since)s, %(until)s)
            - (deadline_at - w.allowed)),
        started_at = shift_time(started_at, %(seconds)s, %(since)s, %(until)s),
        arrived_at = shift_time(arrived_at, %(seconds)s, %(since)s, %(until)s),
        created_at = shift_time(created_at, %(seconds)s, %(since)s, %(until)s)
    FROM free w WHERE j.id = w.id AND NOT w.parked
)
SELECT c.id::text AS id, c.is_new, f.id IS NULL AS is_locked FROM chosen c LEFT JOIN free f ON f.id = c.id ORDER BY c.id

-- name: pull_pending_jobs
-- Moves the arrivals of a batch of pending jobs from the future into the second before the step was noticed, which keeps
-- their order; new jobs come after them. Only a step back puts an arrival in the future. Locked jobs are skipped: they
-- are served later.
WITH batch AS MATERIALIZED (
    SELECT id FROM jobs WHERE id > %(cursor)s::uuid AND state = 'pending'
        AND greatest(arrived_at, created_at) > clock_timestamp() AND %(seconds)s < 0
    ORDER BY id LIMIT %(limit)s
), free AS MATERIALIZED (
    SELECT j.id FROM jobs j JOIN batch USING (id) WHERE j.state = 'pending' FOR UPDATE OF j SKIP LOCKED
), pulled AS (
    UPDATE jobs j SET
        arrived_at = CASE WHEN arrived_at > clock_timestamp()
            THEN s.noticed_at - greatest(interval '0', s.noticed_at + s.back - arrived_at) / s.seconds_back
            ELSE arrived_at END,
        created_at = CASE WHEN created_at > clock_timestamp() THEN s.noticed_at ELSE created_at END
    FROM (SELECT noticed_at, -seconds AS seconds_back, make_interval(secs => -seconds) AS back FROM clock_steps
          WHERE id = %(step_id)s) s
    WHERE j.id = ANY (ARRAY(SELECT id FROM free))
)
SELECT id::text AS id FROM batch ORDER BY batch.id
