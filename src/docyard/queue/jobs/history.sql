-- name: lock_partitions
-- Two upkeepers must not make the same partition at once; whoever comes second leaves it to the first.
SELECT pg_try_advisory_xact_lock(1685022824) AS ours

-- name: be_brief
-- A table lock that waits for a long reader makes every settlement wait behind it, so it is given up soon.
SELECT set_config('lock_timeout', '2s', true)

-- name: lock_default
-- A settlement under way may still put a row into the default partition; wait for it, let no other start.
LOCK TABLE job_history_default IN ACCESS EXCLUSIVE MODE

-- name: wanted_days
-- The days for which a partition of the history must exist: today and the next three.
SELECT to_char(day, 'YYYYMMDD') AS name, day::date AS starts, (day + interval '1 day')::date AS ends,
    to_regclass('job_history_' || to_char(day, 'YYYYMMDD')) IS NOT NULL AS there
FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'),
                     date_trunc('day', now() AT TIME ZONE 'UTC') + interval '3 days', interval '1 day') AS day

-- name: create_partition
-- Makes one day's partition and moves there what the default partition caught of that day.
CREATE TABLE {name} (LIKE job_history INCLUDING ALL);
ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;
WITH early AS (
    DELETE FROM job_history_default WHERE finished_at >= {starts} AND finished_at < {ends} RETURNING *
)
INSERT INTO {name} SELECT * FROM early;
ALTER TABLE job_history ATTACH PARTITION {name} FOR VALUES FROM ({starts}) TO ({ends})

-- name: old_partitions
-- The partitions of the history whose day is older than so many days.
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'job_history'::regclass AND c.relname ~ '^job_history_[0-9]{8}$'
    AND to_date(right(c.relname, 8), 'YYYYMMDD') < (now() AT TIME ZONE 'UTC')::date - %(days)s::integer

-- name: drop_partition
-- Drops one day of the history whole.
DROP TABLE {name}

-- name: prune_default
-- Removes what a late partition left in the default one.
DELETE FROM job_history_default WHERE finished_at < now() - make_interval(days => %(days)s::integer)
