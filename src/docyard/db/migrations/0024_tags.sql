-- Tags: those that classification finds stand apart from those that people give, and each workspace knows its own.

ALTER TABLE documents ADD COLUMN found_tags text[] NOT NULL DEFAULT '{}';

-- A tag in one line, and short enough for an index: anything can be written into documents by SQL.
CREATE FUNCTION tag_name(tag text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN btrim(left(btrim(regexp_replace(tag, '\s+', ' ', 'g')), 200));

-- What all ways of writing a tag have in common.
CREATE FUNCTION tag_key(tag text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(tag_name(tag));

CREATE FUNCTION tag_keys(tags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(array_agg(DISTINCT tag_key(t.tag)), '{}') FROM unnest(tags) AS t (tag));

-- The tags of a document under its workspace, so that those of others cost nothing.
CREATE FUNCTION scoped_tags(workspace_id uuid, given text[], found text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT coalesce(array_agg(left(workspace_id::text, 8) || k.key), '{}')
    FROM unnest(tag_keys(given || found)) AS k (key));

-- All tags of a document, each once: what people gave, then what else was found.
CREATE FUNCTION all_tags(given text[], found text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN given || ARRAY(SELECT f.tag FROM unnest(found) WITH ORDINALITY AS f (tag, place)
    WHERE NOT tag_key(f.tag) = ANY (tag_keys(given)) ORDER BY f.place);

CREATE INDEX documents_by_tag ON documents USING gin (scoped_tags(workspace_id, tags, found_tags));

CREATE TABLE tags (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    -- As it was written first.
    name text NOT NULL,
    key text NOT NULL GENERATED ALWAYS AS (tag_key(name)) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tags_key_once UNIQUE (workspace_id, key),
    CONSTRAINT tags_in_workspace UNIQUE (id, workspace_id),
    CONSTRAINT tags_name_shown CHECK (name <> '' AND name = tag_name(name))
);
INSERT INTO tags (workspace_id, name)
SELECT DISTINCT ON (d.workspace_id, tag_key(t.tag)) d.workspace_id, tag_name(t.tag)
FROM documents d CROSS JOIN LATERAL unnest(d.tags) WITH ORDINALITY AS t (tag, place) WHERE tag_name(t.tag) <> ''
ORDER BY d.workspace_id, tag_key(t.tag), d.seq, t.place;

-- Keeps the tags of a workspace from being removed until the end of a transaction that writes some: a tag that is known
-- is not made again, so it must not go before the document that has it can be seen.
CREATE FUNCTION hold_tags(of_workspace uuid) RETURNS void LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT pg_advisory_xact_lock_shared(hashtextextended('docyard tags ' || of_workspace::text, 0))
$$;

-- Whoever writes tags, by whichever way, makes them known in the same transaction. In order, so that two transactions
-- with the same new tags wait for each other but never in a ring.
CREATE FUNCTION keep_arrived_tags() RETURNS trigger
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
CREATE TRIGGER documents_keep_tags AFTER INSERT ON documents REFERENCING NEW TABLE AS arrived
    FOR EACH STATEMENT EXECUTE FUNCTION keep_arrived_tags();

CREATE FUNCTION keep_changed_tags() RETURNS trigger
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
-- By row, because only so it can be bound to these columns: documents change their state far more often than their tags.
CREATE TRIGGER documents_change_tags AFTER UPDATE OF tags, found_tags ON documents
    FOR EACH ROW WHEN ((OLD.tags, OLD.found_tags) IS DISTINCT FROM (NEW.tags, NEW.found_tags))
    EXECUTE FUNCTION keep_changed_tags();

-- How many documents have a tag; counting ends where the caller does not care any more.
CREATE FUNCTION count_tagged(of_key text, up_to bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
    SELECT count(*) FROM (
        SELECT FROM public.documents d
        WHERE public.scoped_tags(d.workspace_id, d.tags, d.found_tags)
                @> ARRAY[left(public.current_workspace()::text, 8) || of_key]
            AND d.workspace_id = public.current_workspace() AND d.deleted_at IS NULL LIMIT up_to) d
$$;

-- Makes the places for vectors if pgvector is there and may be used; gives whether there are any. Called again by upkeep,
-- because pgvector may be installed later.
CREATE OR REPLACE FUNCTION prepare_embeddings() RETURNS boolean LANGUAGE plpgsql AS $make$
BEGIN
    IF to_regclass('public.chunk_embeddings') IS NOT NULL AND to_regclass('public.tag_embeddings') IS NOT NULL THEN
        RETURN true;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_available_extension_versions
                   WHERE name = 'vector' AND string_to_array(version, '.')::integer[] >= '{0,8}') THEN
        RETURN false;
    END IF;
    BEGIN
        CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
    EXCEPTION WHEN insufficient_privilege OR unique_violation THEN
        RETURN false;
    END;
    IF to_regtype('public.halfvec') IS NULL THEN
        RETURN false;  -- it lives in a schema that our functions do not look into
    END IF;
    IF to_regclass('public.chunk_embeddings') IS NULL THEN
        CREATE TABLE public.chunk_embeddings (
            chunk_id bigint NOT NULL REFERENCES public.chunks ON DELETE CASCADE,
            model smallint NOT NULL REFERENCES public.embedding_models ON DELETE CASCADE,
            document_id uuid NOT NULL,
            workspace_id uuid NOT NULL,
            vector public.halfvec NOT NULL,
            PRIMARY KEY (chunk_id, model),
            CONSTRAINT chunk_embeddings_of_document FOREIGN KEY (document_id, workspace_id)
                REFERENCES public.documents (id, workspace_id) ON DELETE CASCADE
        );
        -- A small workspace is searched exactly, through this one; each model has an index of its own for large ones.
        CREATE INDEX chunk_embeddings_by_workspace ON public.chunk_embeddings (workspace_id, model);
        CREATE INDEX chunk_embeddings_by_document ON public.chunk_embeddings (document_id);
        ALTER TABLE public.chunk_embeddings ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own_workspace ON public.chunk_embeddings TO docyard_web
            USING (workspace_id = (SELECT public.current_workspace()))
            WITH CHECK (workspace_id = (SELECT public.current_workspace()));
        GRANT SELECT ON public.chunk_embeddings TO docyard_web;
    END IF;
    CREATE TABLE IF NOT EXISTS public.tag_embeddings (
        tag_id bigint NOT NULL,
        model smallint NOT NULL REFERENCES public.embedding_models ON DELETE CASCADE,
        workspace_id uuid NOT NULL,
        vector public.halfvec NOT NULL,
        PRIMARY KEY (tag_id, model),
        CONSTRAINT tag_embeddings_of_tag FOREIGN KEY (tag_id, workspace_id)
            REFERENCES public.tags (id, workspace_id) ON DELETE CASCADE
    );
    CREATE INDEX IF NOT EXISTS tag_embeddings_by_workspace ON public.tag_embeddings (workspace_id, model);
    ALTER TABLE public.tag_embeddings ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS own_workspace ON public.tag_embeddings;
    CREATE POLICY own_workspace ON public.tag_embeddings TO docyard_web
        USING (workspace_id = (SELECT public.current_workspace()))
        WITH CHECK (workspace_id = (SELECT public.current_workspace()));
    GRANT SELECT ON public.tag_embeddings TO docyard_web;
    RETURN true;
END $make$;
SELECT prepare_embeddings();

-- The tags whose vectors of this model are nearest, nearest first.
CREATE FUNCTION nearest_tags(of_model smallint, wanted text, most integer, exact_up_to bigint)
RETURNS TABLE (name text, key text, distance float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    size integer := (SELECT m.dims FROM public.embedding_models m WHERE m.id = of_model);
    me uuid := public.current_workspace();
    small boolean := (SELECT count(*) <= exact_up_to FROM (
        SELECT FROM public.tags t WHERE t.workspace_id = me LIMIT exact_up_to + 1) t);
BEGIN
    IF size IS NULL OR me IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true);
    RETURN QUERY EXECUTE format(
        CASE WHEN small THEN
            'WITH mine AS MATERIALIZED (
                 SELECT e.tag_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.tag_embeddings e WHERE e.workspace_id = $2 AND e.model = %2$s)'
        ELSE
            'WITH mine AS MATERIALIZED (
                 SELECT e.tag_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.tag_embeddings e WHERE e.model = %2$s AND e.workspace_id = $2
                 ORDER BY e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) LIMIT $3)' END
        || ' SELECT t.name, t.key, m.distance FROM mine m JOIN public.tags t ON t.id = m.tag_id
             ORDER BY m.distance, t.key LIMIT $3', size, of_model)
    USING wanted, me, most;
END $$;

-- Whether a document is wanted by the filters of a search; what is not given does not matter.
CREATE OR REPLACE FUNCTION is_wanted(
    d documents, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (d).deleted_at IS NULL
    AND (only_types IS NULL OR EXISTS (SELECT FROM unnest(only_types) t WHERE starts_with((d).media_type, t)))
    AND (only_tags IS NULL OR only_tags = '{}' OR tag_keys((d).tags || (d).found_tags) @> tag_keys(only_tags))
    AND (only_languages IS NULL OR (d).language = ANY (only_languages))
    AND (first_day IS NULL OR coalesce((d).document_date, (d).created_at::date) >= first_day)
    AND (last_day IS NULL OR coalesce((d).document_date, (d).created_at::date) <= last_day)
    AND (wanted_facts() IS NULL OR NOT EXISTS (
        SELECT FROM jsonb_array_elements(wanted_facts()) AS f (fact) WHERE fact_holds(d, f.fact) IS NOT TRUE));

-- The tags of the registry for outside SQL are all of them.
CREATE OR REPLACE VIEW source_documents WITH (security_invoker = true) AS
SELECT d.seq AS id, d.id AS document_uuid,
    (SELECT w.seq FROM workspaces w WHERE w.id = d.workspace_id) AS project_fk_id, d.workspace_id AS project_uuid,
    d.original_path AS original_file_path, d.name AS original_file_name, d.media_type AS detected_file_type,
    substring(d.original_path FROM '^s3://[^/]+/(.+)$') AS s3_key,
    CASE
        WHEN d.status IN ('completed', 'cancelled') THEN d.status
        WHEN d.status = 'failed' AND d.reason_category = 'outside' AND d.processor_metadata ? 'status'
            THEN d.processor_metadata ->> 'status'
        WHEN d.stage IS DISTINCT FROM 'ocr'
            AND EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = 'extract')
            THEN CASE d.status WHEN 'failed' THEN 'error_' || coalesce(d.reason_category, 'unknown')
                               ELSE 'ocr_complete_pending_doc_node' END
        WHEN d.status = 'failed' THEN 'error_ocr_failed'
        WHEN d.status = 'processing' THEN 'pre_ocr_processing'
        -- What a bucket announced is known to await reading; the rest has yet to be looked at.
        WHEN d.attempt_started_at IS NULL AND d.source <> 'bucket'
            AND starts_with(coalesce(d.original_path, ''), 's3://') IS FALSE THEN 'pending_intake'
        ELSE 'pre_ocr_pending'
    END AS initial_processing_status,
    d.reason AS error_message, d.reason_category AS error_category, d.size AS file_size, d.sha256, d.title, d.summary,
    d.document_date, d.language, all_tags(d.tags, d.found_tags) AS tags, d.created_at, d.updated_at
FROM documents d WHERE d.deleted_at IS NULL;

CREATE OR REPLACE FUNCTION change_source_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    word text := NEW.initial_processing_status;
    said text := CASE WHEN NEW.error_message IS DISTINCT FROM OLD.error_message THEN NEW.error_message END;
    changed boolean := false;
BEGIN
    IF (NEW.id, NEW.document_uuid, NEW.project_fk_id, NEW.project_uuid, NEW.original_file_path, NEW.s3_key, NEW.sha256,
        NEW.file_size) IS DISTINCT FROM (OLD.id, OLD.document_uuid, OLD.project_fk_id, OLD.project_uuid,
        OLD.original_file_path, OLD.s3_key, OLD.sha256, OLD.file_size) THEN
        RAISE EXCEPTION 'Identity, project, place and content of a document do not change'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF word IS NULL OR word IS DISTINCT FROM OLD.initial_processing_status THEN
        IF word IN ('completed', 'cancelled') THEN
            changed := end_document(OLD.document_uuid, word, word, said, NULL);
        ELSIF word LIKE 'error%' OR word = 'ocr_failed' THEN
            changed := end_document(OLD.document_uuid, 'failed', word, said, NULL);
        ELSIF word IN ('pending_intake', 'pre_ocr_pending') THEN
            changed := requeue_document(OLD.document_uuid, said);
        ELSE
            RAISE EXCEPTION 'A document cannot be set to the status %', coalesce(quote_literal(word), 'NULL')
                USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Set completed, cancelled, ocr_failed, error…, pending_intake or pre_ocr_pending.';
        END IF;
    END IF;
    IF (NEW.original_file_name, NEW.detected_file_type, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        NEW.tags) IS DISTINCT FROM (OLD.original_file_name, OLD.detected_file_type, OLD.title, OLD.summary,
        OLD.document_date, OLD.language, OLD.tags) THEN
        UPDATE documents SET name = NEW.original_file_name, media_type = NEW.detected_file_type, title = NEW.title,
            summary = NEW.summary, document_date = NEW.document_date, language = NEW.language,
            -- What is new in the list somebody gave; what was found and is still in it stays found.
            tags = ARRAY(SELECT t.tag FROM unnest(NEW.tags) WITH ORDINALITY AS t (tag, place)
                WHERE NOT t.tag = ANY (found_tags) OR t.tag = ANY (tags) ORDER BY t.place),
            found_tags = ARRAY(SELECT t.tag FROM unnest(found_tags) WITH ORDINALITY AS t (tag, place)
                WHERE t.tag = ANY (NEW.tags) ORDER BY t.place), updated_at = clock_timestamp()
        WHERE id = OLD.document_uuid AND deleted_at IS NULL;
        changed := changed OR FOUND;
    END IF;
    IF changed THEN
        RETURN NEW;
    END IF;
    RETURN NULL;  -- and so is not counted among the updated
END $$;

ALTER TABLE tags ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON tags TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
GRANT SELECT ON tags TO docyard_web;
-- The others are for everybody: whoever writes a document by SQL, in whichever role, keeps its indexes.
REVOKE EXECUTE ON FUNCTION hold_tags(uuid), keep_arrived_tags(), keep_changed_tags(), count_tagged(text, bigint),
    nearest_tags(smallint, text, integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_tagged(text, bigint), nearest_tags(smallint, text, integer, bigint) TO docyard_web;
