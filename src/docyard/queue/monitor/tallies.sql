-- name: fold_tallies
-- Moves the tallies into the totals. An advisory lock admits one transaction at a time: concurrent scans may start at
-- different blocks, delete rows in different orders and deadlock.
WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(1685285996) AS locked
), folded AS (
    DELETE FROM tallies WHERE (SELECT locked FROM turn) RETURNING *
), moved AS (
    INSERT INTO tally_totals AS t (pool, tier, event, category, jobs, fresh, wait_seconds, late)
    SELECT pool, tier, event, category, sum(jobs), sum(fresh), sum(wait_seconds), sum(late)
    FROM folded GROUP BY pool, tier, event, category ORDER BY pool, tier, event, category
    ON CONFLICT (pool, tier, event, category) DO UPDATE SET
        jobs = t.jobs + excluded.jobs, fresh = t.fresh + excluded.fresh,
        wait_seconds = t.wait_seconds + excluded.wait_seconds, late = t.late + excluded.late
    RETURNING 1
)
SELECT (SELECT count(*) FROM folded) AS folded, (SELECT count(*) FROM moved) AS moved

-- name: load_totals
-- Returns all counts, folded or not, in one snapshot.
SELECT pool, tier, event, category, sum(jobs)::bigint AS jobs, sum(fresh)::bigint AS fresh,
    sum(wait_seconds) AS wait_seconds, sum(late)::bigint AS late
FROM (
    SELECT pool, tier, event, category, jobs, fresh, wait_seconds, late FROM tally_totals
    UNION ALL SELECT pool, tier, event, category, jobs, fresh, wait_seconds, late FROM tallies) t
GROUP BY pool, tier, event, category ORDER BY pool, tier, event, category
