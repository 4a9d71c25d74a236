-- The trigger that refuses to delete rows of the views of documents. Without it, a DELETE by the owner would remove the
-- document itself, but leave its files and history.
-- requires: document_processing_queue.sql, source_documents.sql

CREATE OR REPLACE FUNCTION refuse_deletion() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'Documents cannot be deleted from %', TG_TABLE_NAME USING ERRCODE = 'feature_not_supported',
        HINT = 'Delete a document on its page, or with DELETE /api/v1/documents/{document_id}. To stop its processing, '
               'set its status to cancelled.';
END $$;
CREATE OR REPLACE TRIGGER refuse_deletion INSTEAD OF DELETE ON source_documents
    FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
CREATE OR REPLACE TRIGGER refuse_deletion INSTEAD OF DELETE ON document_processing_queue
    FOR EACH ROW EXECUTE FUNCTION refuse_deletion();

REVOKE EXECUTE ON FUNCTION refuse_deletion() FROM PUBLIC;
