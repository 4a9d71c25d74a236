-- Triggers that say so if an UPDATE of a view matches no row. They run before and after the statement; the triggers for
-- rows note that there is one.
-- requires: document_processing_queue.sql, source_documents.sql, extraction_jobs.sql

CREATE OR REPLACE FUNCTION report_unmatched() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_WHEN = 'BEFORE' THEN
        PERFORM set_config('docyard.matched', '', true);
    ELSIF current_setting('docyard.matched', true) = '' THEN
        RAISE NOTICE 'No row of % matches. It does not exist, or the role % does not see it in the workspace %.',
            TG_TABLE_NAME, current_user, coalesce(nullif(current_setting('docyard.workspace', true), ''), 'NULL');
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER before_updates BEFORE UPDATE ON document_processing_queue
    FOR EACH STATEMENT EXECUTE FUNCTION report_unmatched();
CREATE OR REPLACE TRIGGER report_unmatched AFTER UPDATE ON document_processing_queue
    FOR EACH STATEMENT EXECUTE FUNCTION report_unmatched();
CREATE OR REPLACE TRIGGER before_updates BEFORE UPDATE ON source_documents
    FOR EACH STATEMENT EXECUTE FUNCTION report_unmatched();
CREATE OR REPLACE TRIGGER report_unmatched AFTER UPDATE ON source_documents
    FOR EACH STATEMENT EXECUTE FUNCTION report_unmatched();
CREATE OR REPLACE TRIGGER before_updates BEFORE UPDATE ON extraction_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION report_unmatched();
CREATE OR REPLACE TRIGGER report_unmatched AFTER UPDATE ON extraction_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION report_unmatched();

REVOKE EXECUTE ON FUNCTION report_unmatched() FROM PUBLIC;
