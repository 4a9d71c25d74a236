-- name: lock_families
-- Locks jobs and their descendants, children before parents; settlements take their locks in the same order.
WITH RECURSIVE family AS (
    SELECT id, 0 AS depth FROM jobs WHERE id = ANY (%(ids)s)
    UNION
    SELECT c.id, f.depth + 1 FROM jobs c JOIN family f ON c.parent_id = f.id
    -- Pipeline jobs of documents are excluded: they must continue even if their parent is cancelled.
    WHERE f.depth < 100 AND c.type <> 'document'
)
SELECT j.id FROM jobs j JOIN (SELECT id, max(depth) AS depth FROM family GROUP BY id) f ON f.id = j.id
ORDER BY f.depth DESC, j.id FOR UPDATE OF j

-- name: families
-- Returns the ids of jobs and their descendants, without locking them.
WITH RECURSIVE family AS (
    SELECT id, 0 AS depth FROM jobs WHERE id = ANY (%(ids)s)
    UNION
    SELECT c.id, f.depth + 1 FROM jobs c JOIN family f ON c.parent_id = f.id
    WHERE f.depth < 100 AND c.type <> 'document'
)
SELECT DISTINCT id FROM family

-- name: cancel_jobs
-- Cancels queued or running jobs; if a worker still runs one, its result is refused.
-- Returns the parent of each job, or NULL if it has no parent or the parent is cancelled too.
WITH ended AS (
    DELETE FROM jobs WHERE id = ANY (%(ids)s) RETURNING *
), tallied AS (
    INSERT INTO tallies (pool, tier, event, jobs) SELECT pool, tier, 'cancelled', count(*) FROM ended GROUP BY 1, 2
), kept AS (
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, 'cancelled', attempts,
        replays, fence, worker_id, failure_history, arrived_at, started_at, clock_timestamp()
    FROM ended
)
SELECT e.id, e.document_id, e.type, CASE WHEN NOT e.parent_id = ANY (%(ids)s) THEN e.parent_id END AS parent_id
FROM ended e

-- name: lock_documents
-- Locks documents in the order of their ids. Their jobs must already be locked.
SELECT FROM documents WHERE id = ANY (%(document_ids)s) AND deleted_at IS NULL ORDER BY id FOR UPDATE

-- name: jobs_of_documents
-- Returns the live jobs of documents.
SELECT id FROM jobs WHERE document_id = ANY (%(document_ids)s)

-- name: find_live_jobs
-- Returns jobs that have not ended; document_id is NULL unless the job runs the document's pipeline.
SELECT id, CASE WHEN type = 'document' THEN document_id END AS document_id, payload FROM jobs
WHERE id = ANY (%(ids)s) ORDER BY id

-- name: discard_letters_of
-- Deletes the dead letters of documents.
WITH chosen AS MATERIALIZED (
    SELECT id FROM dead_letters WHERE document_id = ANY (%(document_ids)s) ORDER BY id FOR UPDATE
)
DELETE FROM dead_letters WHERE id IN (SELECT id FROM chosen)
