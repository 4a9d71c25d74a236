-- The tag registry of a workspace: triggers register all tags in the transaction that writes them to a document.

-- Prevents the removal of a workspace's tags until the end of a transaction that writes tags. A registered tag is not
-- inserted again, so it must not be removed before the document that has it is committed.
CREATE OR REPLACE FUNCTION hold_tags(of_workspace uuid) RETURNS void LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT pg_advisory_xact_lock_shared(1685285997, hashtext(of_workspace::text))
$$;

-- Registers the tags of inserted documents. The rows are sorted, so that two transactions with the same new tags cannot
-- deadlock.
CREATE OR REPLACE FUNCTION keep_arrived_tags() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.hold_tags(w.id) FROM (
        SELECT DISTINCT a.workspace_id AS id FROM arrived a WHERE a.tags <> '{}' OR a.found_tags <> '{}' ORDER BY 1) w;
    INSERT INTO public.tags (workspace_id, name)
    SELECT DISTINCT ON (a.workspace_id, public.tag_key(t.tag)) a.workspace_id, public.tag_name(t.tag)
    FROM arrived a CROSS JOIN LATERAL unnest(a.tags || a.found_tags) WITH ORDINALITY AS t (tag, place)
    WHERE public.tag_name(t.tag) <> '' AND NOT EXISTS (
        SELECT FROM public.tags k WHERE k.workspace_id = a.workspace_id AND k.key = public.tag_key(t.tag))
    ORDER BY a.workspace_id, public.tag_key(t.tag), a.seq, t.place
    ON CONFLICT (workspace_id, key) DO NOTHING;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER documents_keep_tags AFTER INSERT ON documents REFERENCING NEW TABLE AS arrived
    FOR EACH STATEMENT EXECUTE FUNCTION keep_arrived_tags();

CREATE OR REPLACE FUNCTION keep_changed_tags() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.hold_tags(NEW.workspace_id);
    INSERT INTO public.tags (workspace_id, name)
    SELECT DISTINCT ON (public.tag_key(t.tag)) NEW.workspace_id, public.tag_name(t.tag)
    FROM unnest(NEW.tags || NEW.found_tags) WITH ORDINALITY AS t (tag, place)
    WHERE public.tag_name(t.tag) <> '' AND NOT EXISTS (
        SELECT FROM public.tags k WHERE k.workspace_id = NEW.workspace_id AND k.key = public.tag_key(t.tag))
    ORDER BY public.tag_key(t.tag), t.place
    ON CONFLICT (workspace_id, key) DO NOTHING;
    RETURN NULL;
END $$;

-- A row trigger, because a statement trigger with transition tables cannot be limited to columns, and documents change
-- their status far more often than their tags.
CREATE OR REPLACE TRIGGER documents_change_tags AFTER UPDATE OF tags, found_tags ON documents
    FOR EACH ROW WHEN ((OLD.tags, OLD.found_tags) IS DISTINCT FROM (NEW.tags, NEW.found_tags))
    EXECUTE FUNCTION keep_changed_tags();

REVOKE EXECUTE ON FUNCTION hold_tags(uuid), keep_arrived_tags(), keep_changed_tags() FROM PUBLIC;
