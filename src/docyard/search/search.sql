-- name: search
-- The best passage of each matching document, best first.
SELECT * FROM search_chunks(%(words)s, %(most)s, %(skipped)s)

-- name: matching_pages
-- The pages of one document that match; few enough rows that no index on the words is needed.
SELECT DISTINCT c.page FROM chunks c
WHERE c.document_id = %(document_id)s AND c.terms @@ search_query(%(words)s) ORDER BY c.page

-- name: marked_page
-- One page with every matching word between the two private-use marks.
SELECT ts_headline(l.config, translate(p.text, U&'\E000\E001', ''), marking_query(l.config, %(words)s),
    U&'StartSel=\E000,StopSel=\E001,HighlightAll=true') AS marked
FROM pages p CROSS JOIN LATERAL (
    SELECT coalesce((SELECT c.config FROM chunks c WHERE c.document_id = p.document_id LIMIT 1),
        'simple'::regconfig) AS config) l
WHERE p.document_id = %(document_id)s AND p.number = %(number)s
