-- name: get_duty_ages
-- Returns the seconds since each duty started, and the seconds until the next scheduled job is due, at most one day.
SELECT d.duty, extract(epoch FROM clock_timestamp() - greatest(d.began_at, '2000-01-01'))::float8 AS age,
    extract(epoch FROM least(n.run_at, clock_timestamp() + interval '1 day') - clock_timestamp())::float8 AS next_in
FROM (SELECT min(run_at) AS run_at FROM jobs WHERE state = 'scheduled') n LEFT JOIN duties d ON true

-- name: lock_duty
-- Tries to lock a duty for this transaction, and limits its lock waits: a worker that waits for a lock claims no jobs.
-- The lock belongs to the transaction because the server ends idle transactions of suspended workers, not idle sessions.
SELECT pg_try_advisory_xact_lock(1685285995, hashtext(%(duty)s)) AS locked, set_config('lock_timeout', '2s', true)

-- name: begin_duty
-- Records the start of a duty, unless it last started less than this number of seconds ago.
-- A start in the future was recorded before the clock was set back.
INSERT INTO duties AS d (duty, began_at) VALUES (%(duty)s, clock_timestamp())
ON CONFLICT (duty) DO UPDATE SET began_at = excluded.began_at
WHERE d.began_at NOT BETWEEN clock_timestamp() - make_interval(secs => %(seconds)s) AND clock_timestamp()
RETURNING d.duty

-- name: end_duty
-- Records the duration and report of a duty, and clears its error.
UPDATE duties SET seconds = %(took)s, said = %(said)s, error = NULL, failed_at = NULL WHERE duty = %(duty)s

-- name: fail_duty
-- Records the error of a duty. The duty runs again when it is next due.
INSERT INTO duties AS d (duty, began_at, seconds, error, failed_at)
VALUES (%(duty)s, clock_timestamp(), %(took)s, %(error)s, clock_timestamp())
ON CONFLICT (duty) DO UPDATE SET began_at = excluded.began_at, seconds = excluded.seconds, error = excluded.error,
    failed_at = excluded.failed_at

-- name: list_duties
-- Returns every duty with start, duration, report and error of its last run.
SELECT duty, nullif(began_at, '-infinity') AS began_at, seconds, said, error, failed_at,
    extract(epoch FROM clock_timestamp() - greatest(began_at, '2000-01-01'))::float8 AS age
FROM duties ORDER BY duty
