-- name: cancel_jobs
-- Ends jobs, queued or running, with all they wait for; a worker that runs one finds its result refused.
WITH RECURSIVE family AS (
    SELECT id FROM jobs WHERE id = ANY (%(ids)s)
    UNION
    SELECT c.id FROM jobs c JOIN family f ON c.parent_id = f.id
), ended AS (
    DELETE FROM jobs WHERE id IN (SELECT id FROM family) RETURNING *
), kept AS (
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, 'cancelled', attempts,
        replays, fence, worker_id, failure_history, arrived_at, started_at, clock_timestamp()
    FROM ended
)
SELECT e.id, e.document_id, e.type,
    CASE WHEN e.parent_id NOT IN (SELECT id FROM family) THEN e.parent_id END AS parent_id
FROM ended e

-- name: lock_document
-- Locks a document and its live jobs, those too that a worker was just about to enqueue.
SELECT FROM lock_document(%(document_id)s)

-- name: jobs_of_document
-- The live jobs of a document.
SELECT id FROM jobs WHERE document_id = %(document_id)s

-- name: discard_letters_of
-- Drops the dead letters of a document.
DELETE FROM dead_letters WHERE document_id = %(document_id)s
