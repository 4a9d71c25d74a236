-- name: lock_partitions
-- Tries to take the advisory lock of partition creation; only one worker at a time creates partitions.
SELECT pg_try_advisory_xact_lock(1685022824) AS ours

-- name: be_brief
-- Limits lock waits: while a table lock waits for a long transaction, every settlement queues behind it.
SELECT set_config('lock_timeout', '2s', true)

-- name: lock_default
-- Locks the default partition, so that no settlement inserts a row into it while its rows are moved.
LOCK TABLE job_history_default IN ACCESS EXCLUSIVE MODE

-- name: wanted_days
-- Returns the days that need a partition, today and the next three, and whether each has one.
SELECT to_char(day, 'YYYYMMDD') AS name, day::date AS starts, (day + interval '1 day')::date AS ends,
    to_regclass('job_history_' || to_char(day, 'YYYYMMDD')) IS NOT NULL AS has_partition
FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'),
                     date_trunc('day', now() AT TIME ZONE 'UTC') + interval '3 days', interval '1 day') AS day

-- name: create_partition
-- Creates the partition of one day and moves the rows of that day from the default partition to it.
CREATE TABLE {name} (LIKE job_history INCLUDING ALL);
ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;
WITH early AS (
    DELETE FROM job_history_default WHERE finished_at >= {starts} AND finished_at < {ends} RETURNING *
)
INSERT INTO {name} SELECT * FROM early;
ALTER TABLE job_history ATTACH PARTITION {name} FOR VALUES FROM ({starts}) TO ({ends})

-- name: old_partitions
-- Returns the partitions of the history that are older than this number of days.
SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'job_history'::regclass AND c.relname ~ '^job_history_[0-9]{8}$'
    AND to_date(right(c.relname, 8), 'YYYYMMDD') < (now() AT TIME ZONE 'UTC')::date - %(days)s::integer

-- name: drop_partition
-- Drops one partition.
DROP TABLE {name}

-- name: prune_default
-- Deletes rows older than this number of days from the default partition.
DELETE FROM job_history_default WHERE finished_at < now() - make_interval(days => %(days)s::integer)
