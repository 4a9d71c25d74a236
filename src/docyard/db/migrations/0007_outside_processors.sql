-- Documents of outside processors: how a document arrived, and objects that object files cannot replace.

-- Whether the document was inserted as pre_ocr_pending. The SQL interface then names its states by the phase of OCR.
ALTER TABLE documents ADD COLUMN pre_ocr boolean NOT NULL DEFAULT false;

-- The object files create these again, with other parameters or columns.
DROP VIEW IF EXISTS document_processing_queue, extraction_jobs CASCADE;
DROP FUNCTION IF EXISTS job_word(text, integer, jsonb);
DROP FUNCTION IF EXISTS update_queue_status_with_history(bigint, text, text, text);
DROP FUNCTION IF EXISTS reset_failed_documents_for_retry(interval);
DROP FUNCTION IF EXISTS requeue_document(uuid, text);
DROP FUNCTION IF EXISTS revive_document(documents);
DROP FUNCTION IF EXISTS note_reset(documents, text, text);
