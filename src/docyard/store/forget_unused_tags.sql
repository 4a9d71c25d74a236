-- Checks some tags, least recently checked first, and removes those that no document has.
-- Returns how many were checked and removed. Workspaces in which another transaction is writing tags are skipped.

CREATE OR REPLACE FUNCTION forget_unused_tags(most integer, rested interval, OUT seen bigint, OUT gone bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    checked_tags bigint[] := ARRAY(
        SELECT t.id FROM tags t WHERE t.looked_at <= now() - rested ORDER BY t.looked_at, t.id LIMIT most);
    locked_workspaces uuid[] := ARRAY(
        SELECT w.id FROM (SELECT DISTINCT t.workspace_id AS id FROM tags t WHERE t.id = ANY (checked_tags) ORDER BY 1) w
        WHERE pg_try_advisory_xact_lock(1685285997, hashtext(w.id::text)));
BEGIN
    -- Tags locked by an embedding job are skipped: it locks tags in another order, so waiting could deadlock.
    WITH unused AS (
        SELECT t.id FROM tags t
        WHERE t.id = ANY (checked_tags) AND t.workspace_id = ANY (locked_workspaces) AND NOT EXISTS (
            SELECT FROM documents d
            WHERE scoped_tags(d.workspace_id, d.tags, d.found_tags) @> ARRAY[left(t.workspace_id::text, 8) || t.key]
                AND d.workspace_id = t.workspace_id AND d.deleted_at IS NULL)
        FOR UPDATE SKIP LOCKED
    ), dropped AS (
        DELETE FROM tags t USING unused u WHERE t.id = u.id RETURNING t.id
    )
    SELECT count(*) INTO gone FROM dropped;
    UPDATE tags t SET looked_at = clock_timestamp()
    WHERE t.id IN (SELECT k.id FROM tags k WHERE k.id = ANY (checked_tags) FOR NO KEY UPDATE SKIP LOCKED);
    seen := cardinality(checked_tags);
END $$;

REVOKE EXECUTE ON FUNCTION forget_unused_tags(integer, interval) FROM PUBLIC;
