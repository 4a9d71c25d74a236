-- Returns whether the text of a document has been read: a stage that produces text has a result, and the document is
-- not at such a stage now.

CREATE OR REPLACE FUNCTION is_read(d documents) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
        SELECT FROM stage_results r JOIN pools p ON p.pool = r.stage
        WHERE r.document_id = d.id AND p.gives = 'ExtractedText')
    AND NOT EXISTS (SELECT FROM pools p WHERE p.pool = d.stage AND p.gives = 'ExtractedText');

-- Returns whether the outside processor that holds the document has reported that it has read the text.
CREATE OR REPLACE FUNCTION is_read_outside(d documents, held boolean) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN held AND d.processor_metadata ? 'text_read';

REVOKE EXECUTE ON FUNCTION is_read(documents), is_read_outside(documents, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_read(documents), is_read_outside(documents, boolean) TO docyard_web;
