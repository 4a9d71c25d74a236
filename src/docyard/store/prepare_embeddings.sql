-- Creates the tables for vectors if pgvector is available; returns whether they exist. `docyard migrate` always calls it,
-- because pgvector may be installed after Docyard. Later changes to these tables are migrations.

CREATE OR REPLACE FUNCTION prepare_embeddings() RETURNS boolean LANGUAGE plpgsql AS $make$
BEGIN
    IF to_regclass('public.chunk_embeddings') IS NOT NULL AND to_regclass('public.tag_embeddings') IS NOT NULL THEN
        RETURN true;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_available_extension_versions
                   WHERE name = 'vector' AND string_to_array(version, '.')::integer[] >= '{0,8}') THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(1685285995);  -- two processes may start concurrently
    BEGIN
        CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
    EXCEPTION WHEN insufficient_privilege OR unique_violation THEN
        RETURN false;
    END;
    IF to_regtype('public.halfvec') IS NULL THEN
        RETURN false;  -- the extension is in another schema
    END IF;
    IF to_regclass('public.chunk_embeddings') IS NULL THEN  -- another process may have created it
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
        -- For exact search in small workspaces; for large ones, each model has its own vector index.
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

REVOKE EXECUTE ON FUNCTION prepare_embeddings() FROM PUBLIC;
