-- Returns the documents that have all requested facts, newest first. The first fact is looked up in its index, so that
-- a rare fact does not require reading all documents of the workspace.

CREATE OR REPLACE FUNCTION documents_with_facts(
    most integer, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS TABLE (document_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH lead AS MATERIALIZED (SELECT public.current_workspace() AS me, public.wanted_facts() -> 0 AS fact),
    led AS (
        SELECT d.id AS document_id FROM lead l JOIN public.documents d ON d.folder_id = (l.fact ->> 'folder')::uuid
        WHERE l.fact ? 'folder'
        UNION
        SELECT d.id FROM lead l JOIN public.documents d
            ON public.scoped_tags(d.workspace_id, d.tags, d.found_tags)
                @> ARRAY[left(l.me::text, 8) || public.tag_key(l.fact ->> 'tag')]
        WHERE l.fact ? 'tag'
        UNION
        SELECT m.document_id FROM lead l CROSS JOIN LATERAL jsonb_array_elements_text(l.fact -> 'entities') AS e (id)
        JOIN public.mentions m ON m.entity_id = e.id::uuid AND m.workspace_id = l.me
        WHERE l.fact ? 'entities'
        UNION
        SELECT f.document_id FROM lead l JOIN public.field_values f
            ON f.workspace_id = l.me AND f.name = l.fact ->> 'name'
            AND f.number >= coalesce(l.fact ->> 'above', l.fact ->> 'least', '-infinity')::numeric
            AND f.number <= coalesce(l.fact ->> 'below', l.fact ->> 'most', 'infinity')::numeric
        WHERE l.fact ?| '{above,least,below,most}'
        UNION
        SELECT f.document_id FROM lead l JOIN public.field_values f
            ON f.workspace_id = l.me AND f.name = l.fact ->> 'name'
            AND f.day >= coalesce(l.fact ->> 'first', '-infinity')::date
            AND f.day <= coalesce(l.fact ->> 'last', 'infinity')::date
        WHERE l.fact ?| '{first,last}'
        UNION
        SELECT d.id FROM lead l JOIN public.documents d ON d.workspace_id = l.me
            AND d.document_date >= coalesce(l.fact ->> 'first', '-infinity')::date
            AND d.document_date <= coalesce(l.fact ->> 'last', 'infinity')::date
        WHERE l.fact ?| '{first,last}' AND l.fact ->> 'name' = 'date'
        UNION
        SELECT f.document_id FROM lead l JOIN public.field_values f
            ON f.workspace_id = l.me AND f.name = l.fact ->> 'name'
        WHERE l.fact ? 'text'
        UNION
        SELECT d.id FROM lead l JOIN public.documents d ON d.workspace_id = l.me AND lower(d.type) = l.fact ->> 'text'
        WHERE l.fact ->> 'name' = 'type')
    SELECT d.id FROM led JOIN public.documents d ON d.id = led.document_id
    WHERE d.workspace_id = public.current_workspace()
        AND public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day)
    ORDER BY d.seq DESC LIMIT most
$$;

REVOKE EXECUTE ON FUNCTION documents_with_facts(integer, text[], text[], text[], date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION documents_with_facts(integer, text[], text[], text[], date, date) TO docyard_web;
