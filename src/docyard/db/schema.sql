-- The schema after all migrations, made by `make schema`; nothing reads it but people and a test.

CREATE TYPE public.leased_job AS (
	id uuid,
	fence bigint,
	workspace_id uuid,
	pool text,
	type text,
	stage text,
	document_id uuid,
	tier smallint,
	priority integer,
	payload jsonb,
	attempts integer,
	max_attempts integer,
	arrived_at timestamp with time zone
);

CREATE FUNCTION public.claim_jobs(of_pool text, by_worker uuid, most integer) RETURNS SETOF public.leased_job
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    given integer;
    swept boolean := false;
    held_back boolean := EXISTS (SELECT FROM workspace_limits);
    reach bigint;
BEGIN
    IF most < 1 THEN
        RETURN;
    END IF;
    -- SKIP LOCKED alone would let two claimers spend the same share.
    PERFORM pg_advisory_xact_lock(1685285993, hashtext(of_pool));
    -- A worker that was stopped past its lease must not claim before it has noticed.
    PERFORM FROM workers w
    WHERE w.id = by_worker AND w.state = 'alive'
        AND w.heartbeat_at > clock_timestamp() - make_interval(secs => w.lease_seconds);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    most := pool_allowance(of_pool, most);
    reach := most;
    IF coalesce(most, 0) < 1 THEN
        RETURN;
    END IF;
    INSERT INTO pool_tiers (pool, tier)
    SELECT of_pool, t.tier FROM tiers t
    WHERE NOT EXISTS (SELECT FROM pool_tiers pt WHERE pt.pool = of_pool AND pt.tier = t.tier)
        AND EXISTS (SELECT FROM pools p WHERE p.pool = of_pool);
    -- A sweep costs a probe per lane; spending one part in twenty on it bounds how long a new lane waits.
    PERFORM FROM pools p WHERE p.pool = of_pool AND p.swept_at < clock_timestamp() - p.sweep_cost * 20;
    IF FOUND THEN
        PERFORM sweep_lanes(of_pool);
        swept := true;
    END IF;
    LOOP
        RETURN QUERY
        WITH candidates AS MATERIALIZED (
            SELECT pt.tier, t.weight, greatest(pt.vtime, p.vclock) AS tier_start, l.workspace_id, l.lane_start,
                CASE WHEN held_back THEN workspace_room(of_pool, l.workspace_id) END AS room,
                -- Reading every lane to the depth of the batch would cost lanes times batch.
                greatest(2, ceil(2.0 * reach / count(*) OVER same_tier)::bigint) AS depth,
                -- Lanes that were not looked at start no earlier than the last one that was.
                CASE WHEN count(*) OVER same_tier > reach THEN max(l.lane_start) OVER same_tier END AS unseen_from
            FROM pools p
            JOIN pool_tiers pt ON pt.pool = p.pool
            JOIN tiers t ON t.tier = pt.tier AND NOT t.paused
            CROSS JOIN LATERAL (
                SELECT k.workspace_id, greatest(k.vtime, pt.vclock) AS lane_start FROM lanes k
                WHERE k.pool = of_pool AND k.tier = pt.tier AND k.active
                ORDER BY k.vtime, k.workspace_id LIMIT reach + 1) l
            WHERE p.pool = of_pool
            WINDOW same_tier AS (PARTITION BY pt.tier)),
        heads AS MATERIALIZED (
            SELECT c.*, h.id, h.place, c.lane_start + (h.place - 1) AS job_start
            FROM candidates c LEFT JOIN LATERAL (
                SELECT q.id, row_number() OVER (ORDER BY q.priority, q.arrived_at, q.id) AS place FROM (
                    SELECT j.id, j.priority, j.arrived_at FROM jobs j
                    WHERE j.state = 'pending' AND j.pool = of_pool AND j.tier = c.tier
                        AND j.workspace_id = c.workspace_id
                    ORDER BY j.priority, j.arrived_at, j.id LIMIT least(c.depth, c.room)) q) h ON true),
        emptied AS (
            UPDATE lanes l SET active = false FROM heads h
            WHERE h.id IS NULL AND l.pool = of_pool AND l.tier = h.tier AND l.workspace_id = h.workspace_id),
        tagged AS MATERIALIZED (
            SELECT r.*, r.tier_start + r.rank / r.weight::float8 AS start_tag FROM (
                SELECT h.*,
                    row_number() OVER (PARTITION BY h.tier ORDER BY h.job_start, h.workspace_id, h.id) - 1 AS rank,
                    -- Up to here the order inside the tier is known; behind it may come what was not read.
                    least(h.unseen_from,
                          min(h.job_start) FILTER (WHERE h.place = h.depth) OVER (PARTITION BY h.tier)) AS known_to
                FROM heads h) r),
        horizon AS MATERIALIZED (
            -- A tier that was not read to its end keeps its turn: serving others past it would take its share.
            SELECT min(u.start_tag) AS start_tag FROM (
                SELECT min(t.tier_start) + count(*) FILTER (WHERE t.job_start <= t.known_to)
                    / min(t.weight)::float8 AS start_tag
                FROM tagged t WHERE t.known_to IS NOT NULL GROUP BY t.tier) u),
        picked AS MATERIALIZED (
            SELECT t.* FROM (
                -- The cap of a workspace holds across its tiers.
                SELECT g.*, row_number() OVER (PARTITION BY g.workspace_id ORDER BY g.start_tag, g.id) AS turn
                FROM tagged g) t
            CROSS JOIN horizon z
            WHERE (t.room IS NULL OR t.turn <= t.room) AND t.job_start <= coalesce(t.known_to, 'infinity') AND t.start_tag < coalesce(z.start_tag, 'infinity')
            -- A few to spare, in case another transaction holds the first.
            ORDER BY t.start_tag, t.weight DESC, t.id LIMIT reach + 10),
        locked AS MATERIALIZED (
            SELECT p.* FROM picked p JOIN jobs j ON j.id = p.id WHERE j.state = 'pending'
            ORDER BY p.start_tag, p.weight DESC, p.id LIMIT most FOR UPDATE OF j SKIP LOCKED),
        claimed AS (
            UPDATE jobs j SET state = 'running', attempts = j.attempts + 1, fence = j.fence + 1,
                worker_id = by_worker, run_at = NULL, started_at = clock_timestamp(),
                deadline_at = clock_timestamp() + (
                    SELECT make_interval(secs => p.deadline_seconds) FROM pools p WHERE p.pool = of_pool)
            FROM locked k WHERE j.id = k.id
            RETURNING j.id, j.fence, j.workspace_id, j.pool, j.type, j.stage, j.document_id, j.tier, j.priority,
                j.payload, j.attempts, j.max_attempts, j.arrived_at, k.start_tag, k.job_start, k.lane_start, k.weight),
        advanced_lanes AS (
            UPDATE lanes l SET vtime = s.lane_start + s.jobs
            FROM (SELECT tier, workspace_id, min(lane_start) AS lane_start, count(*) AS jobs
                  FROM claimed GROUP BY tier, workspace_id) s
            WHERE l.pool = of_pool AND l.tier = s.tier AND l.workspace_id = s.workspace_id),
        -- What stands next in each tier now; whoever comes back after a pause starts there, with no credit.
        standing AS MATERIALIZED (
            SELECT t.tier, max(s.jobs) AS jobs, max(s.last_start) AS last_start,
                min(t.tier_start) + coalesce(max(s.jobs), 0) / min(t.weight)::float8 AS vtime,
                least(min(t.job_start) FILTER (WHERE t.rank >= coalesce(s.jobs, 0)), min(t.known_to)) AS next_start
            FROM tagged t LEFT JOIN (
                SELECT tier, count(*) AS jobs, max(job_start) AS last_start FROM claimed GROUP BY tier
            ) s ON s.tier = t.tier
            GROUP BY t.tier),
        advanced_tiers AS (
            UPDATE pool_tiers pt SET vtime = s.vtime,
                vclock = greatest(pt.vclock, coalesce(s.next_start, s.last_start + 1))
            FROM standing s WHERE pt.pool = of_pool AND pt.tier = s.tier AND s.jobs > 0),
        advanced_pool AS (
            UPDATE pools p SET vclock = greatest(p.vclock, s.vclock)
            FROM (SELECT coalesce(min(vtime) FILTER (WHERE next_start IS NOT NULL), max(vtime)) AS vclock
                  FROM standing HAVING sum(jobs) > 0) s
            WHERE p.pool = of_pool)
        SELECT c.id, c.fence, c.workspace_id, c.pool::text, c.type, c.stage, c.document_id, c.tier, c.priority,
            c.payload, c.attempts, c.max_attempts, c.arrived_at
        FROM claimed c ORDER BY c.start_tag, c.weight DESC, c.id;
        GET DIAGNOSTICS given = ROW_COUNT;
        IF given > 0 THEN
            UPDATE pools SET tokens = tokens - given WHERE pool = of_pool AND rate_per_second IS NOT NULL;
            EXIT;
        END IF;
        -- All that was looked at is drained, or held by others; what waits behind it needs a wider look.
        PERFORM FROM tiers t JOIN lanes l ON l.pool = of_pool AND l.tier = t.tier AND l.active
        WHERE NOT t.paused LIMIT 1;
        IF FOUND AND reach < 1000000 THEN
            reach := reach * 16;
            CONTINUE;
        END IF;
        EXIT WHEN swept;
        swept := true;
        EXIT WHEN sweep_lanes(of_pool) = 0;
        reach := most;
    END LOOP;
END $$;

CREATE FUNCTION public.current_workspace() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('docyard.workspace'::text, true), ''::text))::uuid;

CREATE FUNCTION public.end_session(session_hash bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    DELETE FROM public.sessions WHERE token_hash = session_hash
$$;

CREATE FUNCTION public.enqueue_arrived_documents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- Nobody works on a document that has only just arrived, whatever the row says; it would never end.
    UPDATE documents d SET status = 'pending' FROM arrived AS a WHERE d.id = a.id AND a.status = 'processing';
    INSERT INTO jobs (workspace_id, pool, type, stage, document_id, tier, priority, arrived_at, dedupe_key)
    SELECT a.workspace_id, 'fetch', 'document', 'fetch', a.id, a.tier, a.priority, a.created_at, 'road:' || a.id
    FROM arrived AS a
    WHERE a.status IN ('pending', 'processing') AND a.deleted_at IS NULL;
    PERFORM pg_notify('docyard_jobs', 'fetch') WHERE EXISTS (SELECT FROM arrived);
    PERFORM pg_notify('docyard_documents', w.workspace_id || ':')
    FROM (SELECT DISTINCT workspace_id FROM arrived) AS w;
    RETURN NULL;
END $$;

CREATE FUNCTION public.marking_query(config regconfig, words text) RETURNS tsquery
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (websearch_to_tsquery(config, words) || websearch_to_tsquery('simple'::regconfig, words));

CREATE FUNCTION public.new_job_id() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE FUNCTION public.pool_allowance(of_pool text, asked integer) RETURNS integer
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    AS $$
    WITH refilled AS (
        UPDATE pools SET refilled_at = clock_timestamp(), tokens = least(burst,
            tokens + rate_per_second * extract(epoch FROM clock_timestamp() - refilled_at)::float8)
        WHERE pool = of_pool AND rate_per_second IS NOT NULL RETURNING tokens)
    SELECT CASE WHEN p.paused THEN 0 ELSE greatest(0, least(
        asked,
        (SELECT floor(r.tokens)::integer FROM refilled r),
        p.max_running - CASE WHEN p.max_running IS NOT NULL THEN
            (SELECT count(*)::integer FROM jobs j WHERE j.state = 'running' AND j.pool = of_pool) END)) END
    FROM pools p WHERE p.pool = of_pool
$$;

CREATE FUNCTION public.redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH used AS (
        DELETE FROM public.sign_in_links WHERE token_hash = link_hash RETURNING user_id, expires_at),
    opened AS (
        INSERT INTO public.sessions (token_hash, user_id, workspace_id, csrf_token, expires_at)
        SELECT session_hash, used.user_id, home.workspace_id, csrf, now() + lasting
        FROM used CROSS JOIN LATERAL (
            SELECT m.workspace_id FROM public.memberships m JOIN public.workspaces w ON w.id = m.workspace_id
            WHERE m.user_id = used.user_id ORDER BY w.seq LIMIT 1) home
        WHERE used.expires_at > now() RETURNING 1)
    SELECT EXISTS (SELECT FROM opened)
$$;

CREATE FUNCTION public.search_chunks(words text, most integer, skipped integer) RETURNS TABLE(document_id uuid, document_name text, title text, page integer, start_offset integer, end_offset integer, snippet text, score real, total bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH query AS MATERIALIZED (SELECT public.search_query(words) AS q),
    matching AS (
        SELECT c.id, c.document_id, ts_rank(c.terms, query.q, 1) AS score
        FROM query, public.chunks c
        WHERE c.workspace_id = public.current_workspace() AND c.terms @@ query.q),
    best AS (
        SELECT DISTINCT ON (m.document_id) m.id, m.document_id, m.score
        FROM matching m JOIN public.documents d ON d.id = m.document_id AND d.deleted_at IS NULL
        ORDER BY m.document_id, m.score DESC, m.id),
    top AS (
        SELECT b.*, count(*) OVER () AS total FROM best b
        ORDER BY b.score DESC, b.document_id LIMIT most OFFSET skipped)
    SELECT d.id, d.name, d.title, c.page, c.start_offset, c.end_offset,
        -- Private-use marks, because the text may hold anything else; the caller escapes and replaces them.
        ts_headline(c.config, translate(c.text, U&'\E000\E001', ''), public.marking_query(c.config, words),
                    U&'StartSel=\E000,StopSel=\E001,MaxWords=45,MinWords=20,MaxFragments=2'),
        top.score, top.total
    FROM top JOIN public.chunks c ON c.id = top.id JOIN public.documents d ON d.id = top.document_id
    ORDER BY top.score DESC, d.id
$$;

CREATE FUNCTION public.search_query(words text) RETURNS tsquery
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT COALESCE((SELECT (string_agg((('('::text || (qs.q)::text) || ')'::text), ' | '::text))::tsquery AS string_agg FROM (SELECT DISTINCT websearch_to_tsquery(config.config, search_query.words) AS q FROM unnest('{simple,english,german,french,spanish,italian,dutch,portuguese}'::regconfig[]) config(config)) qs WHERE ((numnode(qs.q) > 0) AND (querytree(qs.q) <> 'T'::text))), ''::tsquery) AS "coalesce");

CREATE FUNCTION public.session_identity(session_hash bytea) RETURNS TABLE(user_id uuid, email text, workspace_id uuid, workspace_name text, role text, csrf_token text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, u.email, w.id, w.name, m.role, s.csrf_token
    FROM public.sessions s
    JOIN public.users u ON u.id = s.user_id
    JOIN public.memberships m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
    JOIN public.workspaces w ON w.id = s.workspace_id
    WHERE s.token_hash = session_hash AND s.expires_at > now()
$$;

CREATE FUNCTION public.session_workspaces(session_hash bytea) RETURNS TABLE(id uuid, name text, role text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT w.id, w.name, m.role
    FROM public.sessions s
    JOIN public.memberships m ON m.user_id = s.user_id
    JOIN public.workspaces w ON w.id = m.workspace_id
    WHERE s.token_hash = session_hash AND s.expires_at > now() ORDER BY w.seq
$$;

CREATE FUNCTION public.sign_in_link_is_good(link_hash bytea) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT EXISTS (SELECT FROM public.sign_in_links WHERE token_hash = link_hash AND expires_at > now())
$$;

CREATE FUNCTION public.sweep_lanes(of_pool text) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    began timestamptz := clock_timestamp();
    woken integer;
BEGIN
    WITH RECURSIVE found(tier, workspace_id) AS (
        (SELECT j.tier, j.workspace_id FROM jobs j WHERE j.state = 'pending' AND j.pool = of_pool
         ORDER BY j.tier, j.workspace_id LIMIT 1)
        UNION ALL
        SELECT later.tier, later.workspace_id FROM found f CROSS JOIN LATERAL (
            SELECT j.tier, j.workspace_id FROM jobs j
            WHERE j.state = 'pending' AND j.pool = of_pool AND (j.tier, j.workspace_id) > (f.tier, f.workspace_id)
            ORDER BY j.tier, j.workspace_id LIMIT 1) later)
    INSERT INTO lanes AS l (pool, tier, workspace_id)
    SELECT of_pool, f.tier, f.workspace_id FROM found f
    WHERE NOT EXISTS (
        SELECT FROM lanes k
        WHERE k.pool = of_pool AND k.tier = f.tier AND k.workspace_id = f.workspace_id AND k.active)
    ON CONFLICT (pool, tier, workspace_id) DO UPDATE SET active = true;
    GET DIAGNOSTICS woken = ROW_COUNT;
    UPDATE pools SET swept_at = clock_timestamp(), sweep_cost = clock_timestamp() - began WHERE pool = of_pool;
    RETURN woken;
END $$;

CREATE FUNCTION public.switch_session(session_hash bytea, to_workspace uuid) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH moved AS (
        UPDATE public.sessions s SET workspace_id = m.workspace_id
        FROM public.memberships m
        WHERE s.token_hash = session_hash AND m.user_id = s.user_id AND m.workspace_id = to_workspace RETURNING 1)
    SELECT EXISTS (SELECT FROM moved)
$$;

CREATE FUNCTION public.workspace_room(of_pool text, of_workspace uuid) RETURNS bigint
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS $$
    SELECT CASE WHEN w.paused THEN 0 ELSE greatest(0, w.max_running - (
        SELECT count(*) FROM jobs j
        WHERE j.state = 'running' AND j.pool = of_pool AND j.workspace_id = of_workspace)) END
    FROM workspace_limits w WHERE w.workspace_id = of_workspace
$$;

CREATE TABLE public.blobs (
    workspace_id uuid NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT blobs_sha256_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT blobs_size_sane CHECK ((size >= 0))
);

CREATE TABLE public.chunks (
    id bigint NOT NULL,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    ordinal integer NOT NULL,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    text text NOT NULL,
    config regconfig NOT NULL,
    terms tsvector GENERATED ALWAYS AS ((to_tsvector(config, text) || to_tsvector('simple'::regconfig, text))) STORED NOT NULL,
    CONSTRAINT chunks_offsets_exact CHECK ((((end_offset - start_offset) = char_length(text)) AND (start_offset >= 0)))
);

ALTER TABLE public.chunks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.chunks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.dead_letters (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    priority integer NOT NULL,
    type text NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    payload jsonb NOT NULL,
    dedupe_key text,
    attempts integer NOT NULL,
    max_attempts integer NOT NULL,
    replays integer NOT NULL,
    fence bigint NOT NULL,
    failure_history jsonb NOT NULL,
    arrived_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    died_at timestamp with time zone DEFAULT now() NOT NULL,
    category text NOT NULL,
    message text NOT NULL,
    fingerprint text GENERATED ALWAYS AS (md5(((((category || ':'::text) || COALESCE(stage, type)) || ':'::text) || regexp_replace(lower(message), '[0-9a-f-]{8,}|[0-9]+'::text, '#'::text, 'g'::text)))) STORED NOT NULL
);

CREATE TABLE public.documents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    workspace_id uuid NOT NULL,
    parent_id uuid,
    name text NOT NULL,
    source text DEFAULT 'sql'::text NOT NULL,
    original_path text,
    blob_key text,
    content_key text,
    media_type text,
    size bigint,
    sha256 text,
    entity_type text,
    entity_id text,
    tier smallint DEFAULT 1 NOT NULL,
    priority integer DEFAULT 100 NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    stage text,
    reason text,
    reason_category text,
    notes text[] DEFAULT '{}'::text[] NOT NULL,
    title text,
    summary text,
    document_date date,
    language text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    page_count integer,
    running_seconds double precision DEFAULT 0 NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    attempt_started_at timestamp with time zone,
    completed_at timestamp with time zone,
    deleted_at timestamp with time zone,
    CONSTRAINT documents_attached_whole CHECK (((entity_type IS NULL) = (entity_id IS NULL))),
    CONSTRAINT documents_blob_own CHECK (starts_with(blob_key, ((workspace_id)::text || '/'::text))),
    CONSTRAINT documents_ended_when CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT documents_failed_why CHECK (((status <> 'failed'::text) OR (reason IS NOT NULL))),
    CONSTRAINT documents_name_shown CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 1024))),
    CONSTRAINT documents_priority_sane CHECK (((priority >= '-32768'::integer) AND (priority <= 32767))),
    CONSTRAINT documents_sha256_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT documents_size_sane CHECK ((size >= 0)),
    CONSTRAINT documents_source_known CHECK ((source = ANY (ARRAY['upload'::text, 'api'::text, 'cli'::text, 'folder'::text, 'bucket'::text, 'sql'::text, 'child'::text]))),
    CONSTRAINT documents_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
);

ALTER TABLE public.documents ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.documents_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.job_history (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    pool text NOT NULL,
    tier smallint NOT NULL,
    type text NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    outcome text NOT NULL,
    attempts integer NOT NULL,
    replays integer NOT NULL,
    fence bigint NOT NULL,
    worker_id uuid,
    failure_history jsonb NOT NULL,
    arrived_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT job_history_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'degraded'::text, 'cancelled'::text, 'discarded'::text])))
)
PARTITION BY RANGE (finished_at);

CREATE TABLE public.job_history_default (
    id uuid CONSTRAINT job_history_id_not_null NOT NULL,
    workspace_id uuid CONSTRAINT job_history_workspace_id_not_null NOT NULL,
    pool text CONSTRAINT job_history_pool_not_null NOT NULL,
    tier smallint CONSTRAINT job_history_tier_not_null NOT NULL,
    type text CONSTRAINT job_history_type_not_null NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    outcome text CONSTRAINT job_history_outcome_not_null NOT NULL,
    attempts integer CONSTRAINT job_history_attempts_not_null NOT NULL,
    replays integer CONSTRAINT job_history_replays_not_null NOT NULL,
    fence bigint CONSTRAINT job_history_fence_not_null NOT NULL,
    worker_id uuid,
    failure_history jsonb CONSTRAINT job_history_failure_history_not_null NOT NULL,
    arrived_at timestamp with time zone CONSTRAINT job_history_arrived_at_not_null NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone DEFAULT now() CONSTRAINT job_history_finished_at_not_null NOT NULL,
    CONSTRAINT job_history_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'degraded'::text, 'cancelled'::text, 'discarded'::text])))
);

CREATE TABLE public.jobs (
    id uuid DEFAULT public.new_job_id() NOT NULL,
    workspace_id uuid NOT NULL,
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    priority integer DEFAULT 100 NOT NULL,
    type text NOT NULL,
    stage text,
    document_id uuid,
    entity_type text,
    entity_id text,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    dedupe_key text,
    state text DEFAULT 'pending'::text NOT NULL,
    run_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    replays integer DEFAULT 0 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    worker_id uuid,
    started_at timestamp with time zone,
    deadline_at timestamp with time zone,
    failure_history jsonb DEFAULT '[]'::jsonb NOT NULL,
    arrived_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT jobs_attempt_left CHECK (((state <> ALL (ARRAY['pending'::text, 'scheduled'::text])) OR (attempts < max_attempts))),
    CONSTRAINT jobs_attempts_counted CHECK ((((attempts >= 0) AND (attempts <= max_attempts)) AND ((max_attempts >= 1) AND (max_attempts <= 100)))),
    CONSTRAINT jobs_document_whole CHECK (((type <> 'document'::text) OR ((document_id IS NOT NULL) AND (stage IS NOT NULL)))),
    CONSTRAINT jobs_held_while_running CHECK ((((state = 'running'::text) = (worker_id IS NOT NULL)) AND ((state = 'running'::text) = (deadline_at IS NOT NULL)))),
    CONSTRAINT jobs_history_list CHECK ((jsonb_typeof(failure_history) = 'array'::text)),
    CONSTRAINT jobs_payload_small CHECK (((jsonb_typeof(payload) = 'object'::text) AND (pg_column_size(payload) <= 65536))),
    CONSTRAINT jobs_priority_sane CHECK (((priority >= '-32768'::integer) AND (priority <= 32767))),
    CONSTRAINT jobs_scheduled_when CHECK (((state <> 'scheduled'::text) OR (run_at IS NOT NULL))),
    CONSTRAINT jobs_state_known CHECK ((state = ANY (ARRAY['scheduled'::text, 'pending'::text, 'running'::text, 'waiting'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1');

CREATE TABLE public.lanes (
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    workspace_id uuid NOT NULL,
    vtime double precision DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0.2');

CREATE TABLE public.memberships (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    CONSTRAINT memberships_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text])))
);

CREATE TABLE public.pages (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    number integer NOT NULL,
    text text NOT NULL,
    width real NOT NULL,
    height real NOT NULL,
    words bytea NOT NULL,
    CONSTRAINT pages_counted_from_one CHECK ((number >= 1)),
    CONSTRAINT pages_words_whole CHECK (((octet_length(words) % 24) = 0))
);

CREATE TABLE public.pool_tiers (
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    vtime double precision DEFAULT 0 NOT NULL,
    vclock double precision DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.pools (
    pool text NOT NULL COLLATE pg_catalog."C",
    resource text NOT NULL,
    deadline_seconds integer DEFAULT 660 NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    max_running integer,
    rate_per_second double precision,
    burst integer DEFAULT 1 NOT NULL,
    tokens double precision DEFAULT 0 NOT NULL,
    refilled_at timestamp with time zone DEFAULT now() NOT NULL,
    vclock double precision DEFAULT 0 NOT NULL,
    swept_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    sweep_cost interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT pools_cap_positive CHECK ((max_running > 0)),
    CONSTRAINT pools_deadline_positive CHECK ((deadline_seconds > 0)),
    CONSTRAINT pools_rate_positive CHECK (((rate_per_second > (0)::double precision) AND (burst > 0))),
    CONSTRAINT pools_resource_known CHECK ((resource = ANY (ARRAY['cpu'::text, 'ocr'::text, 'llm'::text, 'embed'::text])))
)
WITH (fillfactor='50');

CREATE TABLE public.renditions (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    page integer NOT NULL,
    blob_key text NOT NULL,
    media_type text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT renditions_blob_own CHECK (starts_with(blob_key, ((workspace_id)::text || '/'::text)))
);

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.sessions (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    csrf_token text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sessions_hashed CHECK ((length(token_hash) = 32))
);

CREATE TABLE public.sign_in_links (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sign_in_links_hashed CHECK ((length(token_hash) = 32))
);

CREATE TABLE public.stage_results (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    stage text NOT NULL,
    version integer NOT NULL,
    outcome text NOT NULL,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    job_id uuid NOT NULL,
    fence bigint NOT NULL,
    worker_id uuid NOT NULL,
    seconds double precision NOT NULL,
    finished_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT stage_results_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'degraded'::text])))
);

CREATE TABLE public.tiers (
    tier smallint NOT NULL,
    name text NOT NULL,
    weight integer NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    CONSTRAINT tiers_weight_positive CHECK ((weight > 0))
);

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT users_email_lower CHECK (((email = lower(email)) AND (email ~~ '_%@_%'::text)))
);

CREATE TABLE public.workers (
    id uuid NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    pools text[] NOT NULL,
    slots integer NOT NULL,
    lease_seconds double precision NOT NULL,
    state text DEFAULT 'alive'::text NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT workers_lease_positive CHECK ((lease_seconds > (0)::double precision)),
    CONSTRAINT workers_state_known CHECK ((state = ANY (ARRAY['alive'::text, 'draining'::text, 'stopped'::text, 'lost'::text])))
)
WITH (fillfactor='50');

CREATE TABLE public.workspace_limits (
    workspace_id uuid NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    max_running integer,
    CONSTRAINT workspace_limits_cap_positive CHECK ((max_running > 0))
);

CREATE TABLE public.workspaces (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT workspaces_name_shown CHECK (((name = btrim(name)) AND ((length(name) >= 1) AND (length(name) <= 200))))
);

ALTER TABLE public.workspaces ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.workspaces_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY public.job_history ATTACH PARTITION public.job_history_default DEFAULT;

ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (workspace_id, sha256);

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_document_id_ordinal_key UNIQUE (document_id, ordinal);

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_in_workspace UNIQUE (id, workspace_id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_seq_key UNIQUE (seq);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (pool, tier, workspace_id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (user_id, workspace_id);

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (document_id, number);

ALTER TABLE ONLY public.pool_tiers
    ADD CONSTRAINT pool_tiers_pkey PRIMARY KEY (pool, tier);

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_pkey PRIMARY KEY (pool);

ALTER TABLE ONLY public.renditions
    ADD CONSTRAINT renditions_pkey PRIMARY KEY (document_id, kind, page);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.stage_results
    ADD CONSTRAINT stage_results_pkey PRIMARY KEY (document_id, stage, version);

ALTER TABLE ONLY public.tiers
    ADD CONSTRAINT tiers_name_key UNIQUE (name);

ALTER TABLE ONLY public.tiers
    ADD CONSTRAINT tiers_pkey PRIMARY KEY (tier);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workspace_limits
    ADD CONSTRAINT workspace_limits_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_name_key UNIQUE (name);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_seq_key UNIQUE (seq);

CREATE INDEX chunks_terms ON public.chunks USING gin (terms);

CREATE INDEX dead_letters_by_cause ON public.dead_letters USING btree (fingerprint);

CREATE INDEX dead_letters_by_document ON public.dead_letters USING btree (document_id);

CREATE INDEX dead_letters_newest ON public.dead_letters USING btree (workspace_id, died_at DESC);

CREATE INDEX documents_by_entity ON public.documents USING btree (workspace_id, entity_type, entity_id) WHERE (entity_type IS NOT NULL);

CREATE UNIQUE INDEX documents_content_once ON public.documents USING btree (workspace_id, content_key) WHERE (deleted_at IS NULL);

CREATE INDEX documents_newest ON public.documents USING btree (workspace_id, seq DESC) WHERE (deleted_at IS NULL);

CREATE INDEX job_history_by_document ON ONLY public.job_history USING btree (document_id);

CREATE INDEX job_history_by_id ON ONLY public.job_history USING btree (id);

CREATE INDEX job_history_default_document_id_idx ON public.job_history_default USING btree (document_id);

CREATE INDEX job_history_default_id_idx ON public.job_history_default USING btree (id);

CREATE INDEX jobs_by_document ON public.jobs USING btree (document_id);

CREATE INDEX jobs_deadline ON public.jobs USING btree (deadline_at) WHERE (state = 'running'::text);

CREATE UNIQUE INDEX jobs_dedupe ON public.jobs USING btree (workspace_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);

CREATE INDEX jobs_pending ON public.jobs USING btree (pool, tier, workspace_id, priority, arrived_at, id) WHERE (state = 'pending'::text);

CREATE INDEX jobs_running ON public.jobs USING btree (worker_id) WHERE (state = 'running'::text);

CREATE INDEX jobs_running_in_pool ON public.jobs USING btree (pool, workspace_id) WHERE (state = 'running'::text);

CREATE INDEX jobs_scheduled ON public.jobs USING btree (run_at) WHERE (state = 'scheduled'::text);

CREATE INDEX lanes_next ON public.lanes USING btree (pool, tier, vtime, workspace_id) WHERE active;

ALTER INDEX public.job_history_by_document ATTACH PARTITION public.job_history_default_document_id_idx;

ALTER INDEX public.job_history_by_id ATTACH PARTITION public.job_history_default_id_idx;

CREATE TRIGGER documents_enqueue AFTER INSERT ON public.documents REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION public.enqueue_arrived_documents();

ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_parent_beside FOREIGN KEY (parent_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pool_fkey FOREIGN KEY (pool) REFERENCES public.pools(pool);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pool_fkey FOREIGN KEY (pool) REFERENCES public.pools(pool) ON DELETE CASCADE;

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pool_tiers
    ADD CONSTRAINT pool_tiers_pool_fkey FOREIGN KEY (pool) REFERENCES public.pools(pool) ON DELETE CASCADE;

ALTER TABLE ONLY public.pool_tiers
    ADD CONSTRAINT pool_tiers_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);

ALTER TABLE ONLY public.renditions
    ADD CONSTRAINT renditions_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_workspace_id_fkey FOREIGN KEY (user_id, workspace_id) REFERENCES public.memberships(user_id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stage_results
    ADD CONSTRAINT stage_results_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workspace_limits
    ADD CONSTRAINT workspace_limits_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE public.blobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dead_letters ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_history_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.lanes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_workspace ON public.blobs TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.chunks TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.dead_letters TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.documents TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.job_history TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.jobs TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.memberships TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.pages TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.renditions TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.stage_results TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.workspaces TO docyard_web USING ((id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((id = ( SELECT public.current_workspace() AS current_workspace)));

ALTER TABLE public.pages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.renditions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_in_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stage_results ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workspace_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workspaces ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO docyard_web;

REVOKE ALL ON FUNCTION public.claim_jobs(of_pool text, by_worker uuid, most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.end_session(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.end_session(session_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.pool_allowance(of_pool text, asked integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) TO docyard_web;

REVOKE ALL ON FUNCTION public.search_chunks(words text, most integer, skipped integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_chunks(words text, most integer, skipped integer) TO docyard_web;

REVOKE ALL ON FUNCTION public.session_identity(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.session_identity(session_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.session_workspaces(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.session_workspaces(session_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.sign_in_link_is_good(link_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.sign_in_link_is_good(link_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.sweep_lanes(of_pool text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.switch_session(session_hash bytea, to_workspace uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.switch_session(session_hash bytea, to_workspace uuid) TO docyard_web;

REVOKE ALL ON FUNCTION public.workspace_room(of_pool text, of_workspace uuid) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.blobs TO docyard_web;

GRANT SELECT ON TABLE public.chunks TO docyard_web;

GRANT SELECT,DELETE ON TABLE public.dead_letters TO docyard_web;

GRANT UPDATE(replays) ON TABLE public.dead_letters TO docyard_web;

GRANT SELECT,INSERT,UPDATE ON TABLE public.documents TO docyard_web;

GRANT SELECT,INSERT ON TABLE public.job_history TO docyard_web;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.jobs TO docyard_web;

GRANT SELECT ON TABLE public.memberships TO docyard_web;

GRANT SELECT ON TABLE public.pages TO docyard_web;

GRANT SELECT ON TABLE public.pools TO docyard_web;

GRANT SELECT,INSERT ON TABLE public.renditions TO docyard_web;

GRANT SELECT ON TABLE public.schema_migrations TO docyard_web;

GRANT SELECT,DELETE ON TABLE public.stage_results TO docyard_web;

GRANT SELECT ON TABLE public.tiers TO docyard_web;

GRANT SELECT ON TABLE public.workspaces TO docyard_web;
