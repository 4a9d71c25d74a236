-- name: insert_document
-- Makes a document unless this workspace already has this content; the trigger queues it.
WITH kept AS (
    INSERT INTO blobs (workspace_id, sha256, size) VALUES (%(workspace_id)s, %(sha256)s, %(size)s)
    ON CONFLICT DO NOTHING
)
INSERT INTO documents (
    workspace_id, name, source, sha256, content_key, size, blob_key, tier, priority, tags, created_by, parent_id, depth,
    folder_id)
VALUES (%(workspace_id)s, %(name)s, %(source)s, %(sha256)s, %(sha256)s, %(size)s, %(blob_key)s, %(tier)s,
    %(priority)s, %(tags)s, %(created_by)s, %(parent_id)s, %(depth)s,
    -- A folder may be removed while a file for it arrives.
    (SELECT f.id FROM folders f WHERE f.id = %(folder_id)s AND f.workspace_id = %(workspace_id)s))
ON CONFLICT (workspace_id, content_key) WHERE deleted_at IS NULL DO NOTHING
RETURNING id, name

-- name: document_with_content
-- The document of this workspace that has this content.
SELECT id, name FROM documents
WHERE workspace_id = %(workspace_id)s AND content_key = %(sha256)s AND deleted_at IS NULL

-- name: get_document
-- One document, with the time of its next try if it waits for one.
SELECT d.*, d.status = 'processing' AND d.attempt_started_at < now() - interval '10 minutes' AS stale,
    (SELECT max(j.run_at) FROM jobs j WHERE j.document_id = d.id AND j.state = 'scheduled') AS retry_at,
    CASE WHEN d.status = 'completed' AND d.reason_category IS NOT NULL THEN (
        SELECT r.stage FROM stage_results r WHERE r.document_id = d.id AND r.outcome = 'degraded'
        ORDER BY r.finished_at LIMIT 1) END AS left_out,
    (SELECT f.name FROM folders f WHERE f.id = d.folder_id) AS folder
FROM documents d WHERE d.id = %(id)s AND d.deleted_at IS NULL

-- name: get_documents
-- Several documents, in the order of their arrival; those that were deleted are left out.
SELECT d.*, d.status = 'processing' AND d.attempt_started_at < now() - interval '10 minutes' AS stale,
    NULL::timestamptz AS retry_at, NULL::text AS left_out, NULL::text AS folder
FROM documents d WHERE d.id = ANY (%(ids)s) AND d.deleted_at IS NULL ORDER BY d.seq

-- name: attached_documents
-- The documents attached to an outside thing, the oldest first.
SELECT id FROM documents
WHERE workspace_id = %(workspace_id)s AND entity_type = %(entity_type)s AND entity_id = %(entity_id)s
    AND deleted_at IS NULL
ORDER BY seq

-- name: tagged_documents
-- The documents that have a tag; NULL where too many have it.
SELECT tagged_documents(tag_key(%(tag)s), %(up_to)s) AS ids

-- name: newest_documents
-- A page of documents, newest first, continuing below a sequence number.
SELECT d.id FROM documents d
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL
    AND (%(below)s::bigint IS NULL OR d.seq < %(below)s)
    AND (%(status)s::text IS NULL OR d.status = %(status)s)
    AND (%(type)s::text IS NULL OR lower(d.type) = %(type)s)
    AND (NOT %(unsure)s OR d.type IS NULL AND d.status = 'completed' AND d.page_count > 0)
    AND (%(tag)s::text IS NULL OR tag_key(%(tag)s) = ANY (tag_keys(d.tags || d.found_tags)))
    AND (%(folder)s::text IS NULL OR d.folder_id = (
        SELECT f.id FROM folders f WHERE f.workspace_id = %(workspace_id)s AND f.key = lower(%(folder)s)))
ORDER BY d.seq DESC LIMIT %(most)s

-- name: newest_among
-- The same among some documents, each looked up by its id, also where the planner knows nothing of the table yet.
SELECT d.id FROM unnest(%(ids)s::uuid[]) AS t (id) CROSS JOIN LATERAL (
    SELECT * FROM documents n WHERE n.id = t.id OFFSET 0) d
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL
    AND (%(below)s::bigint IS NULL OR d.seq < %(below)s)
    AND (%(status)s::text IS NULL OR d.status = %(status)s)
    AND (%(type)s::text IS NULL OR lower(d.type) = %(type)s)
    AND (NOT %(unsure)s OR d.type IS NULL AND d.status = 'completed' AND d.page_count > 0)
    AND (%(folder)s::text IS NULL OR d.folder_id = (
        SELECT f.id FROM folders f WHERE f.workspace_id = %(workspace_id)s AND f.key = lower(%(folder)s)))
ORDER BY d.seq DESC LIMIT %(most)s

-- name: list_documents
-- Documents as lists show them, newest first.
SELECT d.*, d.status = 'processing' AND d.attempt_started_at < now() - interval '10 minutes' AS stale,
    (SELECT max(j.run_at) FROM jobs j WHERE j.document_id = d.id AND j.state = 'scheduled') AS retry_at,
    CASE WHEN d.status = 'completed' AND d.reason_category IS NOT NULL THEN (
        SELECT r.stage FROM stage_results r WHERE r.document_id = d.id AND r.outcome = 'degraded'
        ORDER BY r.finished_at LIMIT 1) END AS left_out,
    (SELECT f.name FROM folders f WHERE f.id = d.folder_id) AS folder
FROM documents d WHERE d.id = ANY (%(ids)s) ORDER BY d.seq DESC

-- name: completed_documents
-- Completed documents of a workspace in the order of their arrival, continuing above a sequence number.
SELECT id, seq FROM documents
WHERE workspace_id = %(workspace_id)s AND status = 'completed' AND deleted_at IS NULL AND seq > %(above)s
ORDER BY seq LIMIT %(most)s

-- name: count_documents
-- Counts the documents of a workspace by status.
SELECT status, count(*) AS documents FROM documents
WHERE workspace_id = %(workspace_id)s AND deleted_at IS NULL GROUP BY status

-- name: count_types
-- Counts the documents of a workspace by type; NULL where a type was looked for and none was clear.
SELECT lower(type) AS type, count(*) AS documents FROM documents
WHERE workspace_id = %(workspace_id)s AND deleted_at IS NULL
    AND (type IS NOT NULL OR status = 'completed' AND page_count > 0) GROUP BY 1 ORDER BY 2 DESC, 1

-- name: unsettled_documents
-- Documents that are ready and of none of these types; what these stages classified last comes last, or asking again would
-- take the same ones.
SELECT d.id FROM documents d
JOIN stage_results r ON r.document_id = d.id AND r.stage = ANY (%(stages)s)
WHERE d.workspace_id = %(workspace_id)s AND d.deleted_at IS NULL AND d.status = 'completed' AND d.page_count > 0
    AND (d.type IS NULL OR lower(d.type) <> ALL (%(names)s::text[]))
GROUP BY d.id ORDER BY max(r.finished_at), d.id LIMIT %(most)s

-- name: start_attempt
-- Notes that a worker has begun on this stage of the document.
UPDATE documents SET status = 'processing', stage = %(stage)s, attempt_started_at = clock_timestamp(),
    updated_at = clock_timestamp(), completed_at = NULL
WHERE id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: note_progress
-- Notes which stage runs now and the running time spent so far.
UPDATE documents SET stage = %(stage)s, running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp()
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: is_titled
-- Whether a document that is about to be changed has a title, from its stages or from an outside program.
SELECT title IS NOT NULL AS titled FROM documents WHERE id = %(id)s FOR NO KEY UPDATE

-- name: mark_completed
-- The document is usable; a category says what had to be left out. One that was usable already has been since then.
UPDATE documents SET status = 'completed', stage = NULL, reason = %(reason)s, reason_category = %(category)s,
    retryable = %(retryable)s, running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(),
    completed_at = CASE WHEN status = 'completed' THEN completed_at ELSE clock_timestamp() END
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_failed
-- The document cannot be read, and this is why.
UPDATE documents SET status = 'failed', reason = %(reason)s, reason_category = %(category)s,
    retryable = %(retryable)s, failures = failures + 1,
    running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(), completed_at = clock_timestamp()
WHERE id = %(id)s
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_cancelled
-- Somebody stopped the work on the documents; the stages they had reached stay known.
UPDATE documents SET status = 'cancelled', reason = %(reason)s, reason_category = NULL, retryable = true,
    updated_at = clock_timestamp(), completed_at = clock_timestamp()
WHERE id = ANY (%(ids)s)
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: mark_waiting
-- The document waits in the queue again; the last reason stays visible until it succeeds, and is counted.
UPDATE documents SET status = 'pending', reason = %(reason)s, reason_category = %(category)s,
    failures = failures + (%(category)s::text IS NOT NULL)::integer,
    running_seconds = running_seconds + %(seconds)s, updated_at = clock_timestamp(), completed_at = NULL
WHERE id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: restart
-- A person asked again: the documents wait in the queue, with their whole time before them.
UPDATE documents SET status = 'pending', reason = NULL, reason_category = NULL, running_seconds = 0,
    updated_at = clock_timestamp(), completed_at = NULL
WHERE id = ANY (%(ids)s) AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)

-- name: reset_running_time
-- A person asked again, so the document gets its whole time again.
UPDATE documents SET running_seconds = 0 WHERE id = %(id)s

-- name: add_note
-- Adds a note to those of the document, once.
UPDATE documents SET notes = notes || %(note)s::text WHERE id = %(id)s AND NOT %(note)s::text = ANY (notes)

-- name: save_fetched
-- Keeps what the bytes turned out to be.
UPDATE documents SET media_type = %(media_type)s, size = %(size)s, sha256 = %(sha256)s WHERE id = %(id)s

-- name: save_classified
-- Keeps what kind of document it is; tags replace those found before, never those that people gave.
UPDATE documents SET title = %(title)s, language = %(language)s, type = %(type)s, type_confidence = %(type_confidence)s,
    summary = %(summary)s, document_date = %(date)s::date, found_tags = %(tags)s
WHERE id = %(id)s

-- name: save_page_count
-- Keeps how many pages there are, and what could not be read of them.
UPDATE documents SET page_count = %(page_count)s, notes = %(notes)s WHERE id = %(id)s

-- name: delete_document
-- Hides a document; its bytes stay in the blob store.
UPDATE documents SET deleted_at = clock_timestamp(), updated_at = clock_timestamp()
WHERE id = %(id)s AND deleted_at IS NULL
RETURNING id, pg_notify('docyard_documents', workspace_id || ':' || id)
