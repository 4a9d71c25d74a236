-- name: query_lexemes
-- Returns the lexemes of the query words in each language of the workspace, with their counts.
SELECT word, config::text AS config, lexeme, prefix, chunks, chunks_3, chunks_9, telling
FROM query_lexemes(%(words)s, %(prefixes)s)

-- name: known_words
-- Returns the position of each word in this list that occurs in the workspace, and the number of passages that have it.
SELECT word, chunks FROM known_words(%(words)s)

-- name: text_size
-- Returns the workspace of the transaction, and the size of its text.
SELECT current_workspace() AS workspace, chunks, characters FROM text_size()

-- name: rank_chunks
-- Ranks documents by the best passage that the probes reach, best first.
SELECT document_id, chunk_id, score FROM rank_chunks(
    %(probes)s, %(depths)s, %(configs)s::text[]::regconfig[], %(queries)s, %(prefixes)s, %(words)s, %(telling)s,
    %(weights)s::float8[], %(mean_length)s, %(required)s, %(excluded)s, %(types)s, %(tags)s, %(languages)s, %(since)s, %(until)s)

-- name: nearest_chunks
-- Returns the passages nearest to a vector, nearest first.
SELECT document_id, chunk_id, distance FROM nearest_chunks(
    %(model)s::smallint, %(vector)s, %(limit)s, %(exact_up_to)s, %(besides)s, %(types)s, %(tags)s, %(languages)s,
    %(since)s, %(until)s)

-- name: telling_words
-- Returns the most distinctive words of a document.
SELECT 1 AS word, config::text AS config, lexeme, false AS prefix, chunks, chunks_3, chunks_9
FROM telling_words(%(document_id)s, %(limit)s)

-- name: show_hits
-- Returns a snippet of the passage found in each document, or of its first passage, with matches between private-use
-- characters.
SELECT d.id AS document_id, d.name AS document_name, d.title, coalesce(c.page, 1) AS page,
    coalesce(c.start_offset, 0) AS start, coalesce(c.end_offset, 0) AS "end", g.score, g.by,
    -- Private-use characters, because the text can contain any other character; the caller escapes the snippet and replaces them.
    ts_headline(l.config, translate(coalesce(r.text, d.title, d.name), U&'\E000\E001', ''),
        marking_query(l.config, %(marking)s, %(prefixes)s),
        U&'StartSel=\E000,StopSel=\E001,MaxWords=45,MinWords=20,MaxFragments=2') AS snippet
FROM unnest(%(documents)s::uuid[], %(chunks)s::bigint[], %(scores)s::float8[], %(ways)s::text[]) WITH ORDINALITY
    AS g (document_id, chunk_id, score, by, place)
JOIN documents d ON d.id = g.document_id AND d.deleted_at IS NULL
LEFT JOIN LATERAL (
    SELECT c.* FROM chunks c WHERE c.id = g.chunk_id
    UNION ALL
    (SELECT c.* FROM chunks c WHERE g.chunk_id IS NULL AND c.document_id = d.id ORDER BY c.ordinal LIMIT 1)) c ON true
CROSS JOIN LATERAL (SELECT coalesce(c.config, 'simple'::regconfig) AS config) l
-- Markdown is removed: the '#' of headings, and the bars of tables, whose cells are separated by dots instead.
CROSS JOIN LATERAL (SELECT regexp_replace(unbroken(c.text), '^#{1,6} ', '', 'gn') AS text) u
CROSS JOIN LATERAL (SELECT regexp_replace(u.text, '^\|( :?-+:? \|)+\n?', '', 'gn') AS text) w
CROSS JOIN LATERAL (SELECT CASE WHEN w.text = u.text THEN u.text ELSE
    replace(regexp_replace(regexp_replace(regexp_replace(w.text, '( +\|)+\n(\| +)+', E';\n', 'g'),
        '^(\| +)+|( +\|)+$', '', 'gn'), '(?<!\\)( +\|)+ +', ' · ', 'g'), '\|', '|') END AS text) r
ORDER BY g.place

-- name: find_matching_pages
-- Returns the pages of a document that have all the words in one passage or, if there are none, any of the words. Within
-- one document, no text index is needed.
WITH found AS (
    SELECT c.page, c.terms @@ websearch_to_tsquery(c.config, %(every)s) AS every FROM chunks c
    WHERE c.document_id = %(document_id)s AND c.terms @@ marking_query(c.config, %(marking)s, %(prefixes)s))
SELECT DISTINCT f.page FROM found f WHERE f.every OR NOT EXISTS (SELECT FROM found a WHERE a.every) ORDER BY f.page

-- name: marked_page
-- Returns one page with every matching word between two private-use characters.
SELECT ts_headline(l.config, translate(unbroken(p.text), U&'\E000\E001', ''),
    marking_query(l.config, %(marking)s, %(prefixes)s), U&'StartSel=\E000,StopSel=\E001,HighlightAll=true') AS marked
FROM pages p CROSS JOIN LATERAL (
    SELECT coalesce((SELECT c.config FROM chunks c WHERE c.document_id = p.document_id LIMIT 1),
        'simple'::regconfig) AS config) l
WHERE p.document_id = %(document_id)s AND p.number = %(number)s
