-- What people say of documents: fields that were not found, with the place that says them; and tags that nobody has
-- any more go.

-- A value that a person gives may have a place, and loses it when another value is given.
GRANT INSERT (page, start_offset, end_offset), UPDATE (page, start_offset, end_offset) ON field_values TO docyard_web;

-- Whoever deletes a document takes back why it let names seem to be one.
GRANT UPDATE (compared_at) ON entities TO docyard_web;
GRANT UPDATE (reason) ON entity_merges TO docyard_web;

-- When a tag was last looked at by whoever removes those that no document has.
ALTER TABLE tags ADD COLUMN looked_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX tags_to_look_at ON tags (looked_at, id);

-- Looks at some tags, those first that were looked at longest ago, and removes those that no document has; gives how
-- many were looked at and how many went. Workspaces where somebody writes tags just now are left for the next time.
CREATE FUNCTION forget_unused_tags(most integer, rested interval, OUT seen bigint, OUT gone bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    looked bigint[] := ARRAY(
        SELECT t.id FROM tags t WHERE t.looked_at <= now() - rested ORDER BY t.looked_at, t.id LIMIT most);
    held uuid[] := ARRAY(
        SELECT w.id FROM (SELECT DISTINCT t.workspace_id AS id FROM tags t WHERE t.id = ANY (looked) ORDER BY 1) w
        WHERE pg_try_advisory_xact_lock(hashtextextended('docyard tags ' || w.id::text, 0)));
BEGIN
    -- What is being embedded is left alone: whoever embeds waits for tags in another order.
    WITH unused AS (
        SELECT t.id FROM tags t
        WHERE t.id = ANY (looked) AND t.workspace_id = ANY (held) AND NOT EXISTS (
            SELECT FROM documents d
            WHERE scoped_tags(d.workspace_id, d.tags, d.found_tags) @> ARRAY[left(t.workspace_id::text, 8) || t.key]
                AND d.workspace_id = t.workspace_id AND d.deleted_at IS NULL)
        FOR UPDATE SKIP LOCKED
    ), dropped AS (
        DELETE FROM tags t USING unused u WHERE t.id = u.id RETURNING t.id
    )
    SELECT count(*) INTO gone FROM dropped;
    UPDATE tags t SET looked_at = clock_timestamp()
    WHERE t.id IN (SELECT k.id FROM tags k WHERE k.id = ANY (looked) FOR NO KEY UPDATE SKIP LOCKED);
    seen := cardinality(looked);
END $$;

-- The workspace of that name, made if it is new, also when two ask for it at once; for outside SQL a project.
CREATE FUNCTION get_or_create_project(project_name text, OUT project_fk_id bigint, OUT project_uuid uuid)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    LOOP
        SELECT w.seq, w.id INTO project_fk_id, project_uuid FROM workspaces w WHERE w.name = btrim(project_name);
        EXIT WHEN FOUND;
        INSERT INTO workspaces (name) VALUES (btrim(project_name)) ON CONFLICT (name) DO NOTHING
        RETURNING seq, id INTO project_fk_id, project_uuid;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

REVOKE EXECUTE ON FUNCTION forget_unused_tags(integer, interval), get_or_create_project(text) FROM PUBLIC;
