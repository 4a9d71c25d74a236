-- name: save_result
-- Records that a stage has taken effect; a second time is refused by the primary key.
INSERT INTO stage_results (
    document_id, workspace_id, stage, version, outcome, facts, job_id, fence, worker_id, seconds)
VALUES (%(document_id)s, %(workspace_id)s, %(stage)s, %(version)s, %(outcome)s, %(facts)s, %(job_id)s, %(fence)s,
    %(worker_id)s, %(seconds)s)

-- name: stage_results
-- What the stages of a document have come to so far.
SELECT stage, version, outcome, facts FROM stage_results WHERE document_id = %(document_id)s ORDER BY finished_at

-- name: forget_stages
-- Drops recorded stages, so that they run again.
DELETE FROM stage_results WHERE document_id = %(document_id)s AND stage = ANY (%(stages)s)

-- name: drop_pages
-- Removes the pages of a document before new ones are saved.
DELETE FROM pages WHERE document_id = %(document_id)s

-- name: save_pages
-- Saves pages, all of a document in one stream.
COPY pages (document_id, workspace_id, number, text, width, height, words, blocks) FROM STDIN (FORMAT BINARY)

-- name: load_pages
-- The pages of a document in order, with the boxes of their words.
SELECT number, text, width, height, words, blocks FROM pages WHERE document_id = %(document_id)s ORDER BY number

-- name: load_page
-- One page of a document.
SELECT number, text, width, height, words, blocks FROM pages
WHERE document_id = %(document_id)s AND number = %(number)s

-- name: page_texts
-- The text of some pages in order, without the boxes of their words.
SELECT number, text, blocks FROM pages WHERE document_id = %(document_id)s AND number >= %(first)s
ORDER BY number LIMIT %(most)s

-- name: drop_chunks
-- Removes the chunks of a document before new ones are saved.
DELETE FROM chunks WHERE document_id = %(document_id)s

-- name: save_chunk
-- Saves one chunk; its search terms are stemmed in the document's language where PostgreSQL knows it.
INSERT INTO chunks (document_id, workspace_id, ordinal, page, start_offset, end_offset, text, heading, config)
VALUES (%(document_id)s, %(workspace_id)s, %(ordinal)s, %(page)s, %(start)s, %(end)s, %(text)s, %(heading)s,
    %(config)s::regconfig)

-- name: attempts
-- Every try at a document that left a trace: stages done, failures so far, and the final one.
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
