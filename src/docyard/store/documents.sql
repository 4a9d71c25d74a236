-- name: insert_document
-- Inserts a document unless the workspace already has its content; a trigger enqueues its first job.
WITH kept AS (
    INSERT INTO blobs (workspace_id, sha256, size) VALUES (%(workspace_id)s, %(sha256)s, %(size)s)
    ON CONFLICT DO NOTHING
)
INSERT INTO documents (
    workspace_id, name, source, sha256, content_key, size, blob_key, tier, priority, tags, created_by, parent_id, depth,
    folder_id)
VALUES (%(workspace_id)s, %(name)s, %(source)s, %(sha256)s, %(sha256)s, %(size)s, %(blob_key)s, %(tier)s,
    %(priority)s, %(tags)s, %(created_by)s, %(parent_id)s, %(depth)s,
    -- The folder may have been removed while the file was uploaded.
    (SELECT f.id FROM folders f WHERE f.id = %(folder_id)s AND f.workspace_id = %(workspace_id)s))
ON CONFLICT (workspace_id, content_key) WHERE deleted_at IS NULL DO NOTHING
RETURNING id, name

-- name: document_with_content
-- Returns the document of this workspace with this content.
SELECT id, name FROM documents
WHERE workspace_id = %(workspace_id)s AND content_key = %(sha256)s AND deleted_at IS NULL

-- name: get_document
-- Returns one document, with its next scheduled attempt, the first stage whose result is missing, and its folder.
SELECT d.*, d.status = 'processing' AND d.attempt_started_at < now() - interval '10 minutes'
        AND has_attempt(d.id) AS stale,
    d.status = 'pending' AND d.reason_category IS NOT NULL AND is_retried(d.id, d.reason_category) AS retried,
    CASE WHEN d.status = 'pending' THEN (
        SELECT max(j.run_at) FROM jobs j WHERE j.document_id = d.id AND j.type = 'document' AND j.state = 'scheduled'
            AND NOT is_parked(j.state, j.run_at)) END AS retry_at,
    CASE WHEN d.status = 'completed' AND d.reason_category IS NOT NULL THEN (
        SELECT r.stage FROM stage_results r WHERE r.document_id = d.id AND r.outcome = 'degraded'
        ORDER BY r.finished_at LIMIT 1) END AS left_out,
    (SELECT f.name FROM folders f WHERE f.id = d.folder_id) AS folder,
    d.status = 'pending' AND NOT is_fetchable(d.blob_key, d.original_path) AS parked
FROM documents d WHERE d.id = %(id)s AND d.deleted_at IS NULL

-- name: get_documents
-- Returns documents in order of arrival, without deleted ones.
SELECT d.*, d.status = 'processing' AND d.attempt_started_at < now() - interval '10 minutes'
        AND has_attempt(d.id) AS stale,
    false AS retried,
    NULL::timestamptz AS retry_at, NULL::text AS left_out, NULL::text AS folder,
    d.status = 'pending' AND NOT is_fetchable(d.blob_key, d.original_path) AS parked
FROM documents d WHERE d.id = ANY (%(ids)s) AND d.deleted_at IS NULL ORDER BY d.seq

-- name: list_attached_documents
-- Returns the documents attached to an external entity, oldest first.
SELECT id FROM documents
WHERE workspace_id = %(workspace_id)s AND entity_type = %(entity_type)s AND entity_id = %(entity_id)s
    AND deleted_at IS NULL
ORDER BY seq

-- name: tagged_documents
-- Returns the documents that have a tag; NULL if more than the limit have it.
SELECT tagged_documents(tag_key(%(tag)s), %(up_to)s) AS ids

-- name: newest_documents
-- Returns a page of documents, newest first, starting below a sequence number.
SELECT d.id FROM documents d
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL
    AND (%(below)s::bigint IS NULL OR d.seq < %(below)s)
    AND (%(status)s::text IS NULL OR d.status = %(status)s)
    AND (%(type)s::text IS NULL OR lower(d.type) = %(type)s)
    AND (NOT %(unsure)s OR d.type IS NULL AND d.status = 'completed' AND d.page_count > 0)
    AND (%(tag)s::text IS NULL OR tag_key(%(tag)s) = ANY (tag_keys(d.tags || d.found_tags)))
    AND (%(folder)s::text IS NULL OR d.folder_id = (
        SELECT f.id FROM folders f WHERE f.workspace_id = %(workspace_id)s AND f.key = lower(%(folder)s)))
ORDER BY d.seq DESC LIMIT %(limit)s

-- name: newest_among
-- Like newest_documents, but only among these ids; OFFSET 0 forces lookups by id even if the table was never analysed.
SELECT d.id FROM unnest(%(ids)s::uuid[]) AS t (id) CROSS JOIN LATERAL (
    SELECT * FROM documents n WHERE n.id = t.id OFFSET 0) d
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL
    AND (%(below)s::bigint IS NULL OR d.seq < %(below)s)
    AND (%(status)s::text IS NULL OR d.status = %(status)s)
    AND (%(type)s::text IS NULL OR lower(d.type) = %(type)s)
    AND (NOT %(unsure)s OR d.type IS NULL AND d.status = 'completed' AND d.page_count > 0)
    AND (%(folder)s::text IS NULL OR d.folder_id = (
        SELECT f.id FROM folders f WHERE f.workspace_id = %(workspace_id)s AND f.key = lower(%(folder)s)))
ORDER BY d.seq DESC LIMIT %(limit)s

-- name: list_documents
-- Returns documents for display in a list, newest first.
SELECT d.*, d.status = 'processing' AND d.attempt_started_at < now() - interval '10 minutes'
        AND has_attempt(d.id) AS stale,
    d.status = 'pending' AND d.reason_category IS NOT NULL AND is_retried(d.id, d.reason_category) AS retried,
    CASE WHEN d.status = 'pending' THEN (
        SELECT max(j.run_at) FROM jobs j WHERE j.document_id = d.id AND j.type = 'document' AND j.state = 'scheduled'
            AND NOT is_parked(j.state, j.run_at)) END AS retry_at,
    CASE WHEN d.status = 'completed' AND d.reason_category IS NOT NULL THEN (
        SELECT r.stage FROM stage_results r WHERE r.document_id = d.id AND r.outcome = 'degraded'
        ORDER BY r.finished_at LIMIT 1) END AS left_out,
    (SELECT f.name FROM folders f WHERE f.id = d.folder_id) AS folder,
    d.status = 'pending' AND NOT is_fetchable(d.blob_key, d.original_path) AS parked
FROM documents d WHERE d.id = ANY (%(ids)s) ORDER BY d.seq DESC

-- name: list_completed_documents
-- Returns completed documents of a workspace in order of arrival, starting above a sequence number.
SELECT id, seq FROM documents
WHERE workspace_id = %(workspace_id)s AND status = 'completed' AND deleted_at IS NULL AND seq > %(above)s
ORDER BY seq LIMIT %(limit)s

-- name: count_documents
-- Counts the documents of a workspace by status.
SELECT status, count(*) AS documents FROM documents
WHERE workspace_id = %(workspace_id)s AND deleted_at IS NULL GROUP BY status

-- name: count_types
-- Counts the documents of a workspace by type; completed documents that have pages but no type are counted under NULL.
SELECT lower(type) AS type, count(*) AS documents FROM documents
WHERE workspace_id = %(workspace_id)s AND deleted_at IS NULL
    AND (type IS NOT NULL OR status = 'completed' AND page_count > 0) GROUP BY 1 ORDER BY 2 DESC, 1

-- name: find_documents_to_reclassify
-- Returns completed documents that have none of these types. The most recently classified ones come last, so that
-- repeated calls with a limit do not return the same documents.
SELECT d.id FROM documents d
JOIN stage_results r ON r.document_id = d.id AND r.stage = ANY (%(stages)s)
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL AND d.status = 'completed' AND d.page_count > 0
    AND (d.type IS NULL OR lower(d.type) <> ALL (%(names)s::text[]))
GROUP BY d.id ORDER BY max(r.finished_at), d.id LIMIT %(limit)s

-- name: start_attempt
-- Marks a document as being processed, and records the stage and the start of the attempt. A locked document is an
-- error at once: the job waits without a slot.
UPDATE documents SET status = 'processing', stage = %(stage)s, attempt_started_at = clock_timestamp(),
    updated_at = clock_timestamp(), completed_at = NULL
WHERE id = (SELECT id FROM documents WHERE id = %(id)s AND deleted_at IS NULL FOR NO KEY UPDATE NOWAIT)
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: record_progress
-- Records the current stage and adds to the running time. The reason of an earlier failed attempt is replaced by that of
-- the stage that has failed for good, if any. Without either, it is a text that was set by SQL, and stays.
UPDATE documents SET stage = %(stage)s, running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(),
    reason = CASE WHEN reason_category IS NULL AND %(category)s::text IS NULL THEN reason ELSE %(reason)s END,
    reason_category = %(category)s
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_queued
-- Like record_progress, but marks the document as pending, because the job of the stage waits in the queue.
UPDATE documents SET status = 'pending', stage = %(stage)s, running_seconds = running_seconds + %(seconds)s,
    updated_at = clock_timestamp(), completed_at = NULL,
    reason = CASE WHEN reason_category IS NULL AND %(category)s::text IS NULL THEN reason ELSE %(reason)s END,
    reason_category = %(category)s
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: is_titled
-- Locks a document and returns whether it has a title, from its stages or from an outside program.
SELECT title IS NOT NULL AS titled FROM documents WHERE id = %(id)s FOR NO KEY UPDATE

-- name: mark_completed
-- Marks a document as completed; a category states what is missing. If it was already completed, completed_at is kept.
UPDATE documents SET status = 'completed', stage = NULL, reason = %(reason)s, reason_category = %(category)s,
    retryable = %(retryable)s, running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(),
    completed_at = CASE WHEN status = 'completed' THEN completed_at ELSE clock_timestamp() END,
    first_completed_at = coalesce(first_completed_at, clock_timestamp())
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_failed
-- Marks a document as failed, with the reason, and counts the failure.
UPDATE documents SET status = 'failed', reason = %(reason)s, reason_category = %(category)s,
    retryable = %(retryable)s, failures = failures + 1,
    running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(), completed_at = clock_timestamp()
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_cancelled
-- Marks documents as cancelled; their current stage is kept.
UPDATE documents SET status = 'cancelled', reason = %(reason)s, reason_category = NULL, retryable = true,
    updated_at = clock_timestamp(), completed_at = clock_timestamp()
WHERE id = ANY (%(ids)s)
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_waiting
-- Marks a document as pending. Its failures are counted, and the reason stays visible until the next attempt ends.
UPDATE documents SET status = 'pending', reason = %(reason)s, reason_category = %(category)s,
    failures = failures + %(failures)s,
    running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(), completed_at = NULL
WHERE id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_returned
-- Marks documents whose jobs were returned to the queue as pending, except those that another transaction has locked, and
-- those that no attempt had begun to process: jobs of a single stage belong to completed documents.
UPDATE documents d SET status = 'pending', updated_at = clock_timestamp()
FROM (SELECT id FROM documents WHERE id = ANY (%(ids)s) AND deleted_at IS NULL AND status = 'processing'
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) f
WHERE d.id = f.id
RETURNING d.id, pg_notify('docyard_documents', d.workspace_id || ':' || d.id)

-- name: mark_restarted
-- Marks documents as pending when a user retries them, and resets their running time.
UPDATE documents SET status = 'pending', reason = NULL, reason_category = NULL, running_seconds = 0,
    updated_at = clock_timestamp(), completed_at = NULL
WHERE id = ANY (%(ids)s) AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: forget_processor
-- Removes what an outside processor left. A document that cannot be fetched states that it waits for the next one.
UPDATE documents SET processor_metadata = processor_metadata - 'last_processor' - 'status',
    reason = CASE WHEN NOT is_fetchable(blob_key, original_path) THEN explain_parking(original_path) ELSE reason END
WHERE id = %(id)s

-- name: reset_running_time
-- Resets the running time of a document.
UPDATE documents SET running_seconds = 0 WHERE id = %(id)s

-- name: add_note
-- Adds a note to a document unless the document already has it.
UPDATE documents SET notes = notes || %(note)s::text WHERE id = %(id)s AND NOT %(note)s::text = ANY (notes)

-- name: save_fetched
-- Saves the detected media type, size and hash of a file.
UPDATE documents SET media_type = %(media_type)s, size = %(size)s, sha256 = %(sha256)s WHERE id = %(id)s

-- name: save_classified
-- Saves the classification of a document; found tags replace earlier found tags, but not the tags that users added.
UPDATE documents SET title = %(title)s, language = %(language)s, type = %(type)s, type_confidence = %(type_confidence)s,
    summary = %(summary)s, document_date = %(date)s::date, found_tags = %(tags)s
WHERE id = %(id)s

-- name: save_page_count
-- Saves the number of pages, and the notes about content that could not be read.
UPDATE documents SET page_count = %(page_count)s, notes = %(notes)s WHERE id = %(id)s

-- name: delete_document
-- Marks a document as deleted; its files are kept in the blob store.
UPDATE documents SET deleted_at = clock_timestamp(), updated_at = clock_timestamp()
WHERE id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)
