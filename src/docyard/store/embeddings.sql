-- name: prepare_embeddings
-- Creates the tables for vectors if pgvector is available; returns whether they exist.
SELECT prepare_embeddings() AS ready

-- name: can_keep_embeddings
-- Returns whether the tables for vectors exist.
SELECT to_regclass('chunk_embeddings') IS NOT NULL AS ready

-- name: has_chunks
-- Returns whether a document has chunks to embed.
SELECT EXISTS (SELECT FROM chunks WHERE document_id = %(document_id)s) AS ready

-- name: find_model
-- Returns the id of a model by its fingerprint.
SELECT id FROM embedding_models WHERE fingerprint = %(fingerprint)s

-- name: add_model
-- Adds a model unless it exists.
INSERT INTO embedding_models (name, fingerprint, dims) VALUES (%(name)s, %(fingerprint)s, %(dims)s)
ON CONFLICT (fingerprint) DO NOTHING

-- name: list_unembedded_chunks
-- Returns the first chunks of a document that have no vector of this model.
SELECT c.id, c.text FROM chunks c
WHERE c.document_id = %(document_id)s
    AND NOT EXISTS (SELECT FROM chunk_embeddings e WHERE e.chunk_id = c.id AND e.model = %(model)s)
ORDER BY c.ordinal LIMIT %(limit)s

-- name: save_embeddings
-- Saves vectors of chunks that still exist, replacing those of other models.
WITH given AS (
    SELECT g.chunk_id, g.vector, c.document_id, c.workspace_id
    FROM unnest(%(chunk_ids)s::bigint[], %(vectors)s::text[]) AS g (chunk_id, vector)
    JOIN chunks c ON c.id = g.chunk_id FOR KEY SHARE OF c
), replaced AS (
    DELETE FROM chunk_embeddings e USING given g WHERE e.chunk_id = g.chunk_id AND e.model <> %(model)s
)
INSERT INTO chunk_embeddings (chunk_id, model, document_id, workspace_id, vector)
SELECT chunk_id, %(model)s, document_id, workspace_id, vector::halfvec FROM given
ON CONFLICT (chunk_id, model) DO NOTHING

-- name: mark_embedded
-- Marks a document as embedded if all its chunks have vectors of this model.
INSERT INTO embedded_documents AS e (document_id, workspace_id, model, chunks)
SELECT d.id, d.workspace_id, %(model)s, (SELECT count(*) FROM chunks c WHERE c.document_id = d.id)
FROM documents d WHERE d.id = %(document_id)s AND NOT EXISTS (
    SELECT FROM chunks c WHERE c.document_id = d.id
        AND NOT EXISTS (SELECT FROM chunk_embeddings v WHERE v.chunk_id = c.id AND v.model = %(model)s))
ON CONFLICT (document_id) DO UPDATE SET model = excluded.model, chunks = excluded.chunks

-- name: list_unembedded_documents
-- Returns completed documents that this model has not fully embedded, and that have no embed job or dead letter.
SELECT d.id FROM documents d
WHERE d.status = 'completed' AND d.deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM embedded_documents e WHERE e.document_id = d.id AND e.model = %(model)s)
    AND EXISTS (SELECT FROM chunks c WHERE c.document_id = d.id)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.document_id = d.id AND j.pool = 'embed')
    AND NOT EXISTS (SELECT FROM dead_letters l WHERE l.document_id = d.id AND l.pool = 'embed')
ORDER BY d.seq DESC LIMIT %(limit)s

-- name: embedding_progress
-- Counts the documents of all workspaces that this model has embedded.
SELECT count(*) AS documents FROM embedded_documents WHERE model = %(model)s

-- name: load_mean_vector
-- Returns the mean of a document's vectors of this model.
SELECT avg(e.vector)::text AS vector FROM chunk_embeddings e
WHERE e.document_id = %(document_id)s AND e.model = %(model)s
