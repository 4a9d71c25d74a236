-- name: family_size
-- Returns the outermost document that contains this one, and the number and total size of all attachments in its family,
-- except those of this document.
WITH RECURSIVE outwards AS (
    SELECT id, parent_id, 0 AS steps FROM documents WHERE id = %(document_id)s
    UNION ALL
    SELECT d.id, d.parent_id, o.steps + 1 FROM documents d JOIN outwards o ON d.id = o.parent_id WHERE o.steps < 100
), root AS (SELECT id FROM outwards ORDER BY steps DESC LIMIT 1)
SELECT root.id AS root_id, count(a.document_id) AS documents, coalesce(sum(a.size), 0)::bigint AS bytes
FROM root LEFT JOIN attachments a ON a.root_id = root.id AND a.document_id <> %(document_id)s GROUP BY root.id

-- name: lock_family
-- Serialises additions to a family, so that its limits are exact.
SELECT pg_advisory_xact_lock(1685286000, hashtext(%(root_id)s::text))

-- name: drop_attachments
-- Deletes attachments that are no longer found; documents made from them are kept.
DELETE FROM attachments WHERE document_id = %(document_id)s AND member <> ALL (%(members)s)

-- name: save_attachments
-- Saves the attachments of a document; for attachments that were refused earlier, the refusal is cleared.
INSERT INTO attachments (document_id, workspace_id, member, ordinal, name, size, root_id)
SELECT %(document_id)s, %(workspace_id)s, g.member, g.ordinal, g.name, g.size, %(root_id)s
FROM unnest(%(members)s::text[], %(names)s::text[], %(sizes)s::bigint[]) WITH ORDINALITY AS g (member, name, size, ordinal)
ON CONFLICT (document_id, member) DO UPDATE SET reason = NULL WHERE attachments.child_id IS NULL

-- name: list_open_members
-- Returns attachments that have neither become a document nor been refused.
SELECT member FROM attachments
WHERE document_id = %(document_id)s AND child_id IS NULL AND reason IS NULL ORDER BY ordinal

-- name: get_attachment
-- Returns one attachment of a document.
SELECT member, name, size, child_id, reason FROM attachments
WHERE document_id = %(document_id)s AND member = %(member)s

-- name: link_child
-- Records which document was made from an attachment.
UPDATE attachments SET child_id = %(child_id)s, reason = NULL
WHERE document_id = %(document_id)s AND member = %(member)s
    AND EXISTS (SELECT FROM documents WHERE id = %(child_id)s)
RETURNING pg_notify('docyard_documents', workspace_id || ':' || document_id)

-- name: refuse_child
-- Records why no document was made from an attachment.
UPDATE attachments SET reason = %(reason)s
WHERE document_id = %(document_id)s AND member = %(member)s AND child_id IS NULL
RETURNING pg_notify('docyard_documents', workspace_id || ':' || document_id)

-- name: refuse_failed_child
-- Records why a job that should make a document from an attachment has become a dead letter.
UPDATE attachments a SET reason = l.message FROM dead_letters l
WHERE l.id = %(job_id)s AND a.document_id = l.document_id AND a.member = l.payload ->> 'member' AND a.child_id IS NULL
RETURNING pg_notify('docyard_documents', a.workspace_id || ':' || a.document_id)

-- name: list_attachments
-- Returns the attachments of a document, with the documents made from them unless deleted.
SELECT a.member, a.name, a.size, d.id AS child_id, d.status,
    -- While a job tries again, the reason of an earlier failure is hidden. The web app may not change attachments.
    CASE WHEN a.member IN (
        SELECT payload ->> 'member' FROM jobs WHERE document_id = %(document_id)s AND type = 'receive_child')
    THEN NULL ELSE a.reason END AS reason,
    a.child_id IS NULL AND a.member IN (
        SELECT payload ->> 'member' FROM dead_letters WHERE document_id = %(document_id)s AND type = 'receive_child')
    AS retryable
FROM attachments a LEFT JOIN documents d ON d.id = a.child_id AND d.deleted_at IS NULL
WHERE a.document_id = %(document_id)s ORDER BY a.ordinal

-- name: list_containing_documents
-- Returns the documents that contain this document, oldest first.
SELECT d.id, coalesce(d.title, d.name) AS name FROM attachments a JOIN documents d ON d.id = a.document_id
WHERE a.child_id = %(document_id)s AND d.deleted_at IS NULL GROUP BY d.id ORDER BY d.seq LIMIT %(limit)s
