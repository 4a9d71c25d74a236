-- name: get_latest_sample
-- Returns the newest sample.
SELECT taken_at, extract(epoch FROM clock_timestamp() - taken_at)::float8 AS age, facts
FROM queue_samples ORDER BY taken_at DESC LIMIT 1

-- name: find_samples_since
-- Returns for each age the sample to count from: the newest of those between that age and twice that age, else the
-- oldest of the younger ones, else the newest of the older ones. Ages before the first sample are omitted.
SELECT a.age AS wanted_age, s.taken_at, extract(epoch FROM clock_timestamp() - s.taken_at)::float8 AS age, s.facts
FROM unnest(%(ages)s::float8[]) AS a (age)
CROSS JOIN LATERAL (SELECT clock_timestamp() - make_interval(secs => a.age) AS moment) m
CROSS JOIN LATERAL (
    SELECT c.taken_at, c.facts FROM (
        (SELECT taken_at, facts, 1 AS choice FROM queue_samples
         WHERE taken_at BETWEEN m.moment - make_interval(secs => a.age) AND m.moment ORDER BY taken_at DESC LIMIT 1)
        UNION ALL
        (SELECT taken_at, facts, 2 FROM queue_samples
         WHERE taken_at > m.moment AND EXISTS (SELECT FROM queue_samples o WHERE o.taken_at <= m.moment)
         ORDER BY taken_at LIMIT 1)
        UNION ALL
        (SELECT taken_at, facts, 3 FROM queue_samples WHERE taken_at <= m.moment ORDER BY taken_at DESC LIMIT 1)
    ) c ORDER BY c.choice LIMIT 1) s
