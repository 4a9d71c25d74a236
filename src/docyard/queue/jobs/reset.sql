-- name: resettable_documents
-- Documents that ended failed longer ago than the cool-down, could succeed, and have attempts left, in any order.
SELECT d.id FROM dead_letters l JOIN documents d ON d.id = l.document_id
WHERE l.type = 'document' AND l.attempts < l.max_attempts AND l.retryable
    AND d.status = 'failed' AND d.deleted_at IS NULL
    AND d.completed_at <= clock_timestamp() - make_interval(secs => %(cool_down)s)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.document_id = d.id AND j.type = 'document')
-- By chance: some that can never be reset must not stand before the others each time.
ORDER BY random() LIMIT %(most)s

-- name: requeue_document
-- Queues a document again, as an operator's reset does.
SELECT requeue_document(%(document_id)s, NULL) AS queued

-- name: be_brief
-- Whoever waits for a lock or computes for long is given up, so that what comes after upkeep does not wait.
SELECT set_config('statement_timeout', '5s', true), set_config('lock_timeout', '500ms', true)
