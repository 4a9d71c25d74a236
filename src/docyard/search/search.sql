-- name: search
-- The best passage of each matching document, best first.
SELECT * FROM search_chunks(%(words)s, %(most)s, %(skipped)s)
