-- name: duty_ages
-- How many seconds ago each duty began, and in how many the next scheduled job is due, a day at most.
SELECT d.duty, extract(epoch FROM clock_timestamp() - greatest(d.began_at, '2000-01-01'))::float8 AS age,
    extract(epoch FROM least(n.run_at, clock_timestamp() + interval '1 day') - clock_timestamp())::float8 AS next_in
FROM (SELECT min(run_at) AS run_at FROM jobs WHERE state = 'scheduled') n LEFT JOIN duties d ON true

-- name: lock_duty
-- Makes this transaction the only one at a duty, and a brief one: a worker that waits for a lock claims nothing.
-- A lock of the session would outlive the transaction of a frozen worker, which is cut.
SELECT pg_try_advisory_xact_lock(1685285995, hashtext(%(duty)s)) AS ours, set_config('lock_timeout', '2s', true)

-- name: begin_duty
-- Notes that a duty begins, if nobody has begun it within so many seconds.
INSERT INTO duties AS d (duty, began_at) VALUES (%(duty)s, clock_timestamp())
ON CONFLICT (duty) DO UPDATE SET began_at = excluded.began_at
WHERE d.began_at <= clock_timestamp() - make_interval(secs => %(seconds)s)
RETURNING d.duty

-- name: end_duty
-- Notes how long a duty took and what it had to say; an earlier error is over.
UPDATE duties SET seconds = %(took)s, said = %(said)s, error = NULL, failed_at = NULL WHERE duty = %(duty)s

-- name: fail_duty
-- Notes that a duty failed and why; it is tried again when it is next due.
INSERT INTO duties AS d (duty, began_at, seconds, error, failed_at)
VALUES (%(duty)s, clock_timestamp(), %(took)s, %(error)s, clock_timestamp())
ON CONFLICT (duty) DO UPDATE SET began_at = excluded.began_at, seconds = excluded.seconds, error = excluded.error,
    failed_at = excluded.failed_at

-- name: duty_lines
-- Every duty: when it last began, how long it took, what it said and what went wrong.
SELECT duty, nullif(began_at, '-infinity') AS began_at, seconds, said, error, failed_at,
    extract(epoch FROM clock_timestamp() - greatest(began_at, '2000-01-01'))::float8 AS age
FROM duties ORDER BY duty
