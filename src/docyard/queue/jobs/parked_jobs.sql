-- name: park_unfetchable
-- Parks a leased job if its document cannot be fetched.
SELECT park_job(%(id)s, %(fence)s, %(worker_id)s) AS result
