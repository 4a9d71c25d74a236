-- name: save_result
-- Saves a stage result; the primary key rejects a second result of the same stage.
INSERT INTO stage_results (
    document_id, workspace_id, stage, version, outcome, facts, job_id, fence, worker_id, seconds)
VALUES (%(document_id)s, %(workspace_id)s, %(stage)s, %(version)s, %(outcome)s, %(facts)s, %(job_id)s, %(fence)s,
    %(worker_id)s, %(seconds)s)

-- name: load_stage_results
-- Returns the stage results of a document.
SELECT stage, version, outcome, facts FROM stage_results WHERE document_id = %(document_id)s ORDER BY finished_at

-- name: load_results_by_document
-- Returns the stage results of several documents.
SELECT document_id, stage, version, outcome, facts FROM stage_results
WHERE document_id = ANY (%(document_ids)s) ORDER BY finished_at

-- name: delete_stages
-- Deletes stage results of a document, so that these stages run again.
DELETE FROM stage_results WHERE document_id = %(document_id)s AND stage = ANY (%(stages)s)

-- name: delete_results
-- Deletes stage results of several documents, specified as pairs of document and stage.
DELETE FROM stage_results r USING unnest(%(document_ids)s::uuid[], %(stages)s::text[]) AS f (document_id, stage)
WHERE r.document_id = f.document_id AND r.stage = f.stage

-- name: drop_pages
-- Deletes the pages of a document before new ones are saved.
DELETE FROM pages WHERE document_id = %(document_id)s

-- name: save_ocr_page
-- Updates an existing page after OCR.
UPDATE pages SET text = %(text)s, words = %(words)b, blocks = %(blocks)b, source = %(source)s,
    confidences = %(confidences)b
WHERE document_id = %(document_id)s AND number = %(number)s

-- name: save_pages
-- Saves all pages of a document in one COPY stream.
COPY pages (document_id, workspace_id, number, text, width, height, words, blocks, source, confidences) FROM STDIN (FORMAT BINARY)

-- name: load_pages
-- Returns the pages of a document in order, with the bounding boxes of their words.
SELECT number, text, width, height, words, blocks, source, confidences FROM pages
WHERE document_id = %(document_id)s ORDER BY number

-- name: load_page
-- Returns one page of a document.
SELECT number, text, width, height, words, blocks, source, confidences FROM pages
WHERE document_id = %(document_id)s AND number = %(number)s

-- name: load_page_texts
-- Returns the text of some pages in order, without the bounding boxes of their words.
SELECT number, text, blocks, source FROM pages WHERE document_id = %(document_id)s AND number >= %(first)s
ORDER BY number LIMIT %(limit)s

-- name: load_reading_state
-- Returns the numbers of the pages that OCR has not read, and whether any page has text other than white space.
SELECT array(SELECT number FROM pages WHERE document_id = %(document_id)s AND source = %(scan)s ORDER BY number) AS unread,
    EXISTS (SELECT FROM pages WHERE document_id = %(document_id)s AND btrim(text, %(spaces)s) <> '') AS has_text

-- name: drop_chunks
-- Deletes the chunks of a document before new ones are saved, and records the change in word counts.
WITH dropped AS (
    DELETE FROM chunks WHERE document_id = %(document_id)s RETURNING config, text
), unmarked AS (
    DELETE FROM embedded_documents WHERE document_id = %(document_id)s
)
SELECT note_text_change(%(workspace_id)s, array_agg(config), array_agg(text), -1) FROM dropped HAVING count(*) > 0

-- name: save_chunks
-- Saves chunks, stemmed in the document's language if PostgreSQL supports it, and records the change in word counts.
WITH saved AS (
    INSERT INTO chunks (document_id, workspace_id, ordinal, page, start_offset, end_offset, text, heading, config)
    SELECT %(document_id)s, %(workspace_id)s, c.ordinal, c.page, c.first, c.last, c.text, c.heading,
        language_config(%(language)s)
    FROM unnest(%(ordinals)s::integer[], %(numbers)s::integer[], %(starts)s::integer[], %(ends)s::integer[],
        %(texts)s::text[], %(headings)s::text[]) AS c (ordinal, page, first, last, text, heading)
    RETURNING config, text
)
SELECT note_text_change(%(workspace_id)s, array_agg(config), array_agg(text), 1) FROM saved

-- name: list_attempts
-- Returns the recorded attempts at a document: completed stages, and failures in jobs, dead letters and history.
SELECT stage, outcome, finished_at AS at, seconds, NULL AS message, worker_id::text AS worker
FROM stage_results WHERE document_id = %(document_id)s
UNION ALL
SELECT f ->> 'stage', f ->> 'category', (f ->> 'at')::timestamptz, NULL, f ->> 'message', f ->> 'worker'
FROM (
    SELECT failure_history FROM jobs WHERE document_id = %(document_id)s
    UNION ALL SELECT failure_history FROM dead_letters WHERE document_id = %(document_id)s
    UNION ALL SELECT failure_history FROM job_history WHERE document_id = %(document_id)s
) h CROSS JOIN LATERAL jsonb_array_elements(h.failure_history) f
ORDER BY at
