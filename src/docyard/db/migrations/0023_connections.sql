-- LLM connections: models that a workspace may ask, each with a pool of its own, and the stage that asks one.

CREATE TABLE connections (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    base_url text,
    -- Whoever reads this table cannot use the key: it opens only with a secret that is kept elsewhere.
    sealed_key bytea,
    classifies boolean NOT NULL DEFAULT false,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT connections_name_once UNIQUE (workspace_id, name),
    CONSTRAINT connections_name_shown CHECK (name = btrim(name) AND length(name) BETWEEN 1 AND 200),
    CONSTRAINT connections_model_named CHECK (model = btrim(model) AND length(model) BETWEEN 1 AND 200),
    CONSTRAINT connections_provider_known CHECK (provider IN ('openai', 'anthropic', 'google', 'ollama')),
    CONSTRAINT connections_url_of_web CHECK (base_url ~ '^https?://' AND length(base_url) <= 500),
    -- A key that is kept as it came is too short to be a sealed one, or does not begin like one.
    CONSTRAINT connections_key_sealed CHECK (substring(sealed_key FROM 1 FOR 5) = 'gAAAA' AND length(sealed_key) >= 100)
);
-- Documents are classified by one connection at most.
CREATE UNIQUE INDEX connections_classifying ON connections (workspace_id) WHERE classifies;

ALTER TABLE connections ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON connections TO docyard_web
    USING (workspace_id = (SELECT current_workspace())) WITH CHECK (workspace_id = (SELECT current_workspace()));
-- The web can hand a key in, but never look at one.
GRANT SELECT (id, workspace_id, name, provider, model, base_url, classifies, created_by, created_at),
    UPDATE (classifies) ON connections TO docyard_web;

-- Makes a connection of this transaction's workspace, and its pool; NULL when it has as many as it may have.
CREATE FUNCTION add_connection(
    named text, of_provider text, of_model text, at_url text, with_key bytea, by_user uuid, running integer,
    rate double precision
) RETURNS uuid
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH made AS (
        INSERT INTO public.connections (workspace_id, name, provider, model, base_url, sealed_key, created_by)
        SELECT public.current_workspace(), named, of_provider, of_model, at_url, with_key, by_user
        -- Every worker looks at every pool.
        WHERE (SELECT count(*) FROM public.connections c WHERE c.workspace_id = public.current_workspace()) < 50
        RETURNING id),
    pool AS (
        INSERT INTO public.pools (pool, resource, max_running, rate_per_second, burst)
        SELECT 'llm:' || id, 'llm', running, rate, running FROM made)
    SELECT id FROM made
$$;

-- Removes a connection of this transaction's workspace. What waits for it goes on without.
CREATE FUNCTION remove_connection(of_id uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM public.connections WHERE id = of_id AND workspace_id = public.current_workspace();
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE public.jobs SET pool = 'classify' WHERE pool = 'llm:' || of_id AND state <> 'running';
    UPDATE public.dead_letters SET pool = 'classify' WHERE pool = 'llm:' || of_id;
    PERFORM pg_notify('docyard_jobs', 'classify');
    -- A pool whose last job is still running goes with the next connection.
    DELETE FROM public.pools p WHERE p.pool ~ '^llm:[0-9a-f-]{36}$'
        AND NOT EXISTS (SELECT FROM public.connections c WHERE p.pool = 'llm:' || c.id)
        AND NOT EXISTS (SELECT FROM public.jobs j WHERE j.pool = p.pool);
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION add_connection(text, text, text, text, bytea, uuid, integer, double precision),
    remove_connection(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_connection(text, text, text, text, bytea, uuid, integer, double precision),
    remove_connection(uuid) TO docyard_web;

-- The stages in the order of the road; a test compares it with the program's.
CREATE OR REPLACE FUNCTION road_stages() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['fetch', 'extract', 'ocr', 'classify', 'chunk', 'classify_ai', 'fields', 'entities', 'canonicalise', 'relate'];

-- Failures that no further try can cure; a test compares the list with the program's.
CREATE OR REPLACE FUNCTION failure_is_final(category text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(category IN ('ai_content_blocked', 'ai_unauthorized', 'ai_refused', 'validation',
                             'unsupported_file_type', 'not_found', 'unauthorized', 'empty', 'corrupt', 'encrypted',
                             'no_text', 'not_installed', 'unknown_type'), false);

-- Puts an ended document back on its road. False when it can never succeed, or there is nothing left to do.
CREATE OR REPLACE FUNCTION requeue_ended(d documents) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    letter dead_letters;
    next_stage text;
    asked uuid := (SELECT c.id FROM connections c WHERE c.workspace_id = d.workspace_id AND c.classifies);
    woken text;
BEGIN
    IF d.status = 'failed' THEN
        SELECT * INTO letter FROM dead_letters WHERE document_id = d.id AND type = 'document'
        ORDER BY died_at DESC, id LIMIT 1 FOR UPDATE;
        IF failure_is_final(coalesce(letter.category, d.reason_category)) THEN
            RETURN false;
        END IF;
    ELSIF d.reason_category IN ('unsupported_file_type', 'no_text') THEN
        RETURN false;
    END IF;
    IF letter.id IS NOT NULL THEN
        -- Attempts that are left are kept, or resetting would never come to an end; with none left all are given anew.
        INSERT INTO jobs (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at)
        VALUES (
            letter.id, letter.workspace_id, letter.pool, letter.tier, letter.priority, letter.type, letter.stage,
            letter.document_id, letter.entity_type, letter.entity_id, letter.payload, letter.dedupe_key,
            CASE WHEN letter.attempts < letter.max_attempts THEN letter.attempts ELSE 0 END, letter.max_attempts,
            letter.replays + 1, letter.fence, letter.failure_history, letter.arrived_at)
        ON CONFLICT DO NOTHING RETURNING pool INTO woken;
        DELETE FROM dead_letters WHERE id = letter.id AND woken IS NOT NULL;
    ELSE
        DELETE FROM stage_results WHERE document_id = d.id AND d.status = 'completed'
            AND (outcome = 'degraded' OR stage = 'classify' AND d.title IS NULL);
        SELECT s.stage INTO next_stage FROM unnest(road_stages()) WITH ORDINALITY AS s (stage, place)
        WHERE NOT EXISTS (SELECT FROM stage_results r WHERE r.document_id = d.id AND r.stage = s.stage)
            -- Scans are read only where there are any.
            AND (s.stage <> 'ocr' OR EXISTS (
                SELECT FROM pages p WHERE p.document_id = d.id AND p.source = 'scan'))
            -- A model is asked only where one was chosen.
            AND (s.stage <> 'classify_ai' OR asked IS NOT NULL)
        ORDER BY s.place LIMIT 1;
        INSERT INTO jobs (workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key)
        SELECT d.workspace_id, CASE next_stage WHEN 'classify_ai' THEN 'llm:' || asked ELSE next_stage END,
            'document', next_stage, d.id, d.tier, d.priority, d.created_at, 'road:' || d.id
        WHERE next_stage IS NOT NULL
        ON CONFLICT DO NOTHING RETURNING pool INTO woken;
    END IF;
    IF woken IS NULL THEN
        RETURN false;
    END IF;
    PERFORM note_reset(d, d.status, letter.failure_history -> -1 ->> 'worker'), pg_notify('docyard_jobs', woken);
    RETURN true;
END $$;
