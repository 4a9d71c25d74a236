-- name: cancel_document
-- Ends every live job of a document; a worker that runs one finds its result refused.
WITH ended AS (
    DELETE FROM jobs WHERE document_id = %(document_id)s RETURNING *
)
INSERT INTO job_history (
    id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
    fence, worker_id, failure_history, arrived_at, started_at, finished_at)
SELECT id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, 'cancelled', attempts, replays,
    fence, worker_id, failure_history, arrived_at, started_at, clock_timestamp()
FROM ended

-- name: discard_letters_of
-- Drops the dead letters of a document.
DELETE FROM dead_letters WHERE document_id = %(document_id)s
