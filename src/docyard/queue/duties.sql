-- name: duty_lines
-- Every duty: when it last began, how long it took, what it said and what went wrong.
SELECT duty, nullif(began_at, '-infinity') AS began_at, seconds, said, error, failed_at,
    extract(epoch FROM clock_timestamp() - greatest(began_at, '2000-01-01'))::float8 AS age
FROM duties ORDER BY duty
