-- Returns whether the text of a document has been read: a stage that produces text has a result, and the document is
-- not at such a stage now.

CREATE OR REPLACE FUNCTION is_read(d documents) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
        SELECT FROM stage_results r JOIN pools p ON p.pool = r.stage
        WHERE r.document_id = d.id AND p.gives = 'ExtractedText')
    AND NOT EXISTS (SELECT FROM pools p WHERE p.pool = d.stage AND p.gives = 'ExtractedText');

-- Returns whether an outside processor that holds the document, or has failed it, has reported that its text is read.
CREATE OR REPLACE FUNCTION is_read_outside(d documents, held boolean) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN d.processor_metadata ? 'text_read' AND (held OR d.status = 'failed' AND d.reason_category = 'outside');

REVOKE EXECUTE ON FUNCTION is_read(documents), is_read_outside(documents, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_read(documents), is_read_outside(documents, boolean) TO docyard_web;
