-- name: lock_partitions
-- Tries to take the advisory lock of partition creation; only one worker at a time creates partitions.
SELECT pg_try_advisory_xact_lock(1685022824) AS ours

-- name: be_brief
-- Limits lock waits: while a table lock waits for a long transaction, every settlement queues behind it.
SELECT set_config('lock_timeout', '1s', true)

-- name: lock_history
-- Locks the history and its default partition in the order of settlements, so that none inserts a row meanwhile.
LOCK TABLE ONLY job_history, ONLY job_history_default IN ACCESS EXCLUSIVE MODE

-- name: get_stray_rows
-- Returns whether the default partition has rows, and whether earlier ones are still to be returned to the history.
SELECT EXISTS (SELECT FROM job_history_default) AS strays, to_regclass('job_history_detached') IS NOT NULL AS detached

-- name: detach_default
-- Replaces the default partition by an empty one. The rows are returned to the history afterwards, in small steps:
-- moving them here, or letting ATTACH scan them, would make all settlements wait.
ALTER TABLE job_history DETACH PARTITION job_history_default;
ALTER TABLE job_history_default RENAME TO job_history_detached;
CREATE TABLE job_history_default PARTITION OF job_history DEFAULT;
ALTER TABLE job_history_default ENABLE ROW LEVEL SECURITY

-- name: count_detached_blocks
-- Returns the number of blocks of the detached partition, or NULL if there is none.
SELECT pg_relation_size(to_regclass('job_history_detached')) / current_setting('block_size')::integer AS blocks

-- name: return_blocks
-- Returns the rows in a range of blocks of the detached partition to the history.
WITH returned AS (
    DELETE FROM job_history_detached
    WHERE ctid >= format('(%%s,0)', %(first)s::bigint)::tid AND ctid < format('(%%s,0)', %(end)s::bigint)::tid RETURNING *
)
INSERT INTO job_history SELECT * FROM returned

-- name: drop_detached
-- Drops the detached partition, whose rows are all back in the history.
DROP TABLE job_history_detached

-- name: wanted_days
-- Returns the days that need a partition, today and the next three, and whether each has one.
SELECT to_char(day, 'YYYYMMDD') AS name, day::date AS starts, (day + interval '1 day')::date AS ends,
    to_regclass('job_history_' || to_char(day, 'YYYYMMDD')) IS NOT NULL AS has_partition
FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'),
                     date_trunc('day', now() AT TIME ZONE 'UTC') + interval '3 days', interval '1 day') AS day

-- name: create_partition
-- Creates the partition of one day. It is created and then attached, because that locks less than PARTITION OF.
CREATE TABLE {name} (LIKE job_history INCLUDING ALL);
ALTER TABLE {name} ENABLE ROW LEVEL SECURITY;
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
