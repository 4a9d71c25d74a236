-- The schema after all migrations, made by `make schema`; nothing reads it but people and a test.

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

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
	arrived_at timestamp with time zone,
	children integer,
	children_failed integer
);

CREATE FUNCTION public.add_connection(named text, of_provider text, of_model text, at_url text, with_key bytea, by_user uuid, running integer, rate double precision) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.tag_name(tag text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim("left"(btrim(regexp_replace(tag, '\s+'::text, ' '::text, 'g'::text)), 200));

CREATE FUNCTION public.tag_key(tag text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lower(public.tag_name(tag));

CREATE FUNCTION public.tag_keys(tags text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT COALESCE(array_agg(DISTINCT public.tag_key(t.tag)), '{}'::text[]) AS "coalesce" FROM unnest(tag_keys.tags) t(tag));

CREATE FUNCTION public.all_tags(given text[], found text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (given || ARRAY(SELECT f.tag FROM unnest(all_tags.found) WITH ORDINALITY f(tag, place) WHERE (NOT (public.tag_key(f.tag) = ANY (public.tag_keys(all_tags.given)))) ORDER BY f.place));

CREATE FUNCTION public.breaker_allowance(of_pool text) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
DECLARE
    b pool_breakers;
    seen record;
    was pool_breakers;
    now_at timestamptz := clock_timestamp();
BEGIN
    WITH taken AS (DELETE FROM breaker_marks m WHERE m.pool = of_pool RETURNING *)
    SELECT coalesce(sum(t.good), 0) AS good, coalesce(sum(t.bad), 0) AS bad, max(t.category) AS category,
        max(t.message) AS message, max(t.started_at) FILTER (WHERE t.good > 0) AS good_from,
        max(t.started_at) FILTER (WHERE t.bad > 0) AS bad_from
    INTO seen FROM taken t;
    SELECT * INTO b FROM pool_breakers p WHERE p.pool = of_pool;
    IF b.pool IS NULL AND seen.bad > 0 THEN
        INSERT INTO pool_breakers (pool) VALUES (of_pool) RETURNING * INTO b;
    ELSIF b.pool IS NULL THEN
        RETURN NULL;
    END IF;
    was := b;
    IF seen.bad > 0 THEN
        b.category := seen.category;
        b.message := seen.message;
    END IF;
    IF b.state = 'closed' THEN
        -- The window begins with its first failure and lasts a minute.
        IF b.failures = 0 OR b.window_began < now_at - interval '60 seconds' THEN
            b.failures := 0;
            b.successes := 0;
            b.window_began := CASE WHEN seen.bad > 0 THEN now_at ELSE b.window_began END;
        END IF;
        b.failures := b.failures + seen.bad;
        b.successes := CASE WHEN b.failures > 0 THEN b.successes + seen.good ELSE 0 END;
    END IF;
    IF b.state = 'half_open' AND seen.bad_from >= b.changed_at
        OR b.state = 'closed' AND b.failures >= 5 AND b.failures >= b.successes THEN
        b.state := 'open';
        b.open_until := now_at + interval '30 seconds' * 2 ^ least(b.trips, 5);
        b.trips := b.trips + 1;
    ELSIF b.state = 'half_open' AND seen.good_from >= b.changed_at THEN
        b.state := 'closed';
        b.trips := 0;
        b.failures := 0;
        b.successes := 0;
    ELSIF b.state = 'open' AND b.open_until <= now_at THEN
        b.state := 'half_open';
        b.open_until := NULL;
    END IF;
    IF b.state <> was.state THEN
        b.changed_at := now_at;
    END IF;
    IF b IS DISTINCT FROM was THEN
        UPDATE pool_breakers p SET state = b.state, failures = b.failures, successes = b.successes,
            window_began = b.window_began, trips = b.trips, category = b.category, message = b.message,
            changed_at = b.changed_at, open_until = b.open_until
        WHERE p.pool = of_pool;
    END IF;
    RETURN CASE b.state WHEN 'open' THEN 0
        -- A probe that is lost with its worker is no longer running, so the next claim sends another.
        WHEN 'half_open' THEN greatest(0, 1 - (
            SELECT count(*) FROM jobs j
            WHERE j.state = 'running' AND j.pool = of_pool AND j.started_at >= b.changed_at)) END;
END $$;

CREATE FUNCTION public.change_extraction_job() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    was text := OLD.status;
    ended jobs;
    letter dead_letters;
    changed boolean := false;
BEGIN
    OLD.status := NEW.status;
    IF NEW IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'Of an extraction job only the status can be changed'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set cancelled or pending.';
    ELSIF NEW.status IS NOT DISTINCT FROM was THEN
        RETURN NULL;
    END IF;
    IF NEW.status = 'cancelled' THEN
        DELETE FROM jobs WHERE id = OLD.id RETURNING * INTO ended;
        changed := ended.id IS NOT NULL;
        INSERT INTO job_history (
            id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
            fence, worker_id, failure_history, arrived_at, started_at, finished_at)
        SELECT ended.id, ended.workspace_id, ended.pool, ended.tier, ended.type, ended.stage, ended.document_id,
            ended.entity_type, ended.entity_id, 'cancelled', ended.attempts, ended.replays, ended.fence + 1,
            ended.worker_id, ended.failure_history, ended.arrived_at, ended.started_at, clock_timestamp()
        WHERE changed;
    ELSIF NEW.status = 'pending' THEN
        UPDATE jobs SET state = 'pending', run_at = NULL WHERE id = OLD.id AND state = 'scheduled';
        changed := FOUND;
        SELECT * INTO letter FROM dead_letters WHERE id = OLD.id FOR UPDATE;
        IF letter.id IS NOT NULL AND NOT failure_is_final(letter.category) THEN
            INSERT INTO jobs (
                id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
                dedupe_key, max_attempts, replays, fence, failure_history, arrived_at)
            VALUES (
                letter.id, letter.workspace_id, letter.pool, letter.tier, letter.priority, letter.type, letter.stage,
                letter.document_id, letter.entity_type, letter.entity_id, letter.payload, letter.dedupe_key,
                letter.max_attempts, letter.replays + 1, letter.fence, letter.failure_history, letter.arrived_at)
            ON CONFLICT DO NOTHING;
            changed := FOUND;
            DELETE FROM dead_letters WHERE id = letter.id AND changed;
        END IF;
        PERFORM pg_notify('docyard_jobs', extraction_pool(OLD.job_type)) WHERE changed;
    ELSE
        RAISE EXCEPTION 'An extraction job cannot be set to %', coalesce(quote_literal(NEW.status), 'NULL')
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set cancelled or pending.';
    END IF;
    IF changed THEN
        RETURN NEW;
    END IF;
    RETURN NULL;  -- and so is not counted among the updated
END $$;

CREATE FUNCTION public.change_queue_entry() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    changed boolean := false;
    said text;
BEGIN
    IF (NEW.id, NEW.source_document_id, NEW.source_document_uuid)
        IS DISTINCT FROM (OLD.id, OLD.source_document_id, OLD.source_document_uuid) THEN
        RAISE EXCEPTION 'A queue entry cannot be given to another document' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NEW.status IS DISTINCT FROM OLD.status THEN
        IF NEW.error_message IS DISTINCT FROM OLD.error_message THEN
            said := NEW.error_message;
        ELSIF NEW.last_error IS DISTINCT FROM OLD.last_error THEN
            said := NEW.last_error;
        END IF;
        changed := set_queue_status(OLD.source_document_uuid, NEW.status, said,
            CASE WHEN NEW.processor_id IS DISTINCT FROM OLD.processor_id THEN NEW.processor_id END);
    END IF;
    IF NEW.priority IS DISTINCT FROM OLD.priority THEN
        UPDATE jobs SET priority = NEW.priority WHERE document_id = OLD.source_document_uuid AND type = 'document';
        UPDATE documents SET priority = NEW.priority, updated_at = clock_timestamp()
        WHERE id = OLD.source_document_uuid AND deleted_at IS NULL;
        changed := true;
    END IF;
    IF changed THEN
        RETURN NEW;
    END IF;
    RETURN NULL;  -- and so is not counted among the updated
END $$;

CREATE FUNCTION public.change_source_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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
    gave boolean := false;
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
        WITH standing_tiers AS MATERIALIZED (
            SELECT pt.tier, t.weight, t.weight / sum(t.weight) OVER ()::float8 AS share, pt.vclock,
                greatest(pt.vtime, p.vclock) AS tier_start
            FROM pools p
            JOIN pool_tiers pt ON pt.pool = p.pool
            JOIN tiers t ON t.tier = pt.tier AND NOT t.paused
            -- Not EXISTS: a planner that knows nothing of the lanes would read them all.
            CROSS JOIN LATERAL (
                SELECT FROM lanes k WHERE k.pool = of_pool AND k.tier = pt.tier AND k.active
                ORDER BY k.vtime, k.workspace_id LIMIT 1) one
            WHERE p.pool = of_pool),
        candidates AS MATERIALIZED (
            SELECT s.tier, s.weight, s.tier_start, l.workspace_id, l.lane_start,
                CASE WHEN held_back THEN workspace_room(of_pool, l.workspace_id) END AS room,
                -- Half as much again as its share: reading every lane to the depth of the batch would cost lanes
                -- times batch.
                greatest(2, ceil(1.5 * reach * s.share / count(*) OVER same_tier)::bigint) AS depth,
                -- Lanes that were not looked at start no earlier than the last one that was.
                CASE WHEN count(*) OVER same_tier > reach THEN max(l.lane_start) OVER same_tier END AS unseen_from
            FROM standing_tiers s
            CROSS JOIN LATERAL (
                SELECT k.workspace_id, greatest(k.vtime, s.vclock) AS lane_start FROM lanes k
                WHERE k.pool = of_pool AND k.tier = s.tier AND k.active
                ORDER BY k.vtime, k.workspace_id LIMIT reach + 1) l
            WINDOW same_tier AS (PARTITION BY s.tier)),
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
            WHERE (t.room IS NULL OR t.turn <= t.room) AND t.job_start <= coalesce(t.known_to, 'infinity')
                AND t.start_tag < coalesce(z.start_tag, 'infinity')
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
                j.payload, j.attempts, j.max_attempts, j.arrived_at, j.children, j.children_failed, j.created_at,
                k.start_tag, k.job_start, k.lane_start, k.weight),
        tallied AS (
            INSERT INTO tallies (pool, tier, event, jobs, fresh, wait_seconds, late)
            SELECT of_pool, w.tier, 'claimed', count(*), count(w.waited), coalesce(sum(w.waited), 0),
                count(*) FILTER (WHERE w.waited > t.objective_seconds)
            FROM (
                -- A fence of one marks the first claim; what comes back has waited before.
                SELECT c.tier, CASE WHEN c.fence = 1 THEN greatest(0, extract(
                    epoch FROM clock_timestamp() - greatest(c.arrived_at, c.created_at)))::float8 END AS waited
                FROM claimed c) w
            JOIN tiers t ON t.tier = w.tier GROUP BY w.tier),
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
            c.payload, c.attempts, c.max_attempts, c.arrived_at, c.children, c.children_failed
        FROM claimed c ORDER BY c.start_tag, c.weight DESC, c.id;
        GET DIAGNOSTICS given = ROW_COUNT;
        IF given > 0 THEN
            UPDATE pools SET tokens = tokens - given WHERE pool = of_pool AND rate_per_second IS NOT NULL;
            gave := true;
            most := most - given;
            -- What was not read of one tier may be what is left; a round more costs less than another claim.
            EXIT WHEN most < 1;
            reach := most;
            CONTINUE;
        END IF;
        EXIT WHEN gave;
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

CREATE FUNCTION public.count_tagged(of_key text, up_to bigint) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
    SELECT count(*) FROM (
        SELECT FROM public.documents d
        WHERE public.scoped_tags(d.workspace_id, d.tags, d.found_tags)
                @> ARRAY[left(public.current_workspace()::text, 8) || of_key]
            AND d.workspace_id = public.current_workspace() AND d.deleted_at IS NULL LIMIT up_to) d
$$;

CREATE FUNCTION public.current_workspace() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('docyard.workspace'::text, true), ''::text))::uuid;

CREATE FUNCTION public.documents_with_facts(most integer, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) RETURNS TABLE(document_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.end_document(wanted uuid, ended_as text, word text, said text, processor text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    d documents := lock_document(wanted);
    explained text := format('An outside processor set the status to %s', word) || coalesce(': ' || said, '.');
BEGIN
    IF d.id IS NULL OR d.completed_at IS NOT NULL THEN
        RETURN false;
    END IF;
    IF ended_as = 'failed' THEN
        WITH ended AS (
            DELETE FROM jobs WHERE id = (
                SELECT id FROM jobs WHERE document_id = wanted AND type = 'document'
                ORDER BY array_position(road_stages(), stage), id LIMIT 1)
            RETURNING *,
                least(attempts + CASE WHEN state = 'running' THEN 0 ELSE 1 END, max_attempts) AS spent)
        INSERT INTO dead_letters (
            id, workspace_id, pool, tier, priority, type, stage, document_id, entity_type, entity_id, payload,
            dedupe_key, attempts, max_attempts, replays, fence, failure_history, arrived_at, started_at, category,
            message)
        SELECT e.id, e.workspace_id, e.pool, e.tier, e.priority, e.type, e.stage, e.document_id, e.entity_type,
            e.entity_id, e.payload, e.dedupe_key, e.spent, e.max_attempts, e.replays, e.fence + 1,
            e.failure_history || jsonb_build_object(
                'at', clock_timestamp(), 'category', 'outside', 'message', explained,
                'worker', coalesce(processor, e.worker_id::text), 'attempt', e.spent, 'stage', e.stage),
            e.arrived_at, e.started_at, 'outside', explained
        FROM ended e;
    END IF;
    -- Whatever else was under way for this document has become pointless.
    WITH ended AS (
        DELETE FROM jobs WHERE document_id = wanted AND type = 'document'
        RETURNING *, CASE WHEN ended_as = 'completed' THEN 'done' ELSE 'cancelled' END AS outcome)
    INSERT INTO job_history (
        id, workspace_id, pool, tier, type, stage, document_id, entity_type, entity_id, outcome, attempts, replays,
        fence, worker_id, failure_history, arrived_at, started_at, finished_at)
    SELECT e.id, e.workspace_id, e.pool, e.tier, e.type, e.stage, e.document_id, e.entity_type, e.entity_id, e.outcome,
        e.attempts, e.replays, e.fence + 1, CASE WHEN ended_as <> 'completed' THEN e.worker_id END, e.failure_history,
        e.arrived_at, e.started_at, clock_timestamp()
    FROM ended e;
    UPDATE documents SET status = ended_as, stage = CASE WHEN ended_as = 'completed' THEN NULL ELSE stage END,
        reason = CASE ended_as WHEN 'failed' THEN explained WHEN 'cancelled' THEN said END,
        reason_category = CASE WHEN ended_as = 'failed' THEN 'outside' END,
        completed_at = clock_timestamp(), updated_at = clock_timestamp(),
        processor_metadata = processor_metadata - 'last_processor' - 'status' || jsonb_strip_nulls(jsonb_build_object(
            'last_processor', processor, 'status', CASE WHEN word LIKE 'error%' OR word = 'ocr_failed' THEN word END))
    WHERE id = wanted;
    PERFORM pg_notify('docyard_documents', d.workspace_id || ':' || d.id);
    RETURN true;
END $$;

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

CREATE FUNCTION public.extraction_pool(job_type text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE job_type WHEN 'email_embedding'::text THEN 'fetch'::text WHEN 'attachment_ingestion'::text THEN 'fetch'::text WHEN 'document_ocr'::text THEN 'extract'::text ELSE NULL::text END;

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
    processor_metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    depth smallint DEFAULT 0 NOT NULL,
    type text,
    type_confidence real,
    found_tags text[] DEFAULT '{}'::text[] NOT NULL,
    folder_id uuid,
    CONSTRAINT documents_attached_whole CHECK (((entity_type IS NULL) = (entity_id IS NULL))),
    CONSTRAINT documents_blob_own CHECK (starts_with(blob_key, ((workspace_id)::text || '/'::text))),
    CONSTRAINT documents_depth_sane CHECK (((depth >= 0) AND (depth <= 100))),
    CONSTRAINT documents_ended_when CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) = (completed_at IS NOT NULL))),
    CONSTRAINT documents_failed_why CHECK (((status <> 'failed'::text) OR (reason IS NOT NULL))),
    CONSTRAINT documents_failures_counted CHECK ((failures >= 0)),
    CONSTRAINT documents_name_shown CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 1024))),
    CONSTRAINT documents_priority_sane CHECK (((priority >= '-32768'::integer) AND (priority <= 32767))),
    CONSTRAINT documents_processor_metadata_object CHECK ((jsonb_typeof(processor_metadata) = 'object'::text)),
    CONSTRAINT documents_sha256_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT documents_size_sane CHECK ((size >= 0)),
    CONSTRAINT documents_source_known CHECK ((source = ANY (ARRAY['upload'::text, 'api'::text, 'cli'::text, 'folder'::text, 'bucket'::text, 'sql'::text, 'child'::text]))),
    CONSTRAINT documents_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
    CONSTRAINT documents_type_confidence_share CHECK (((type_confidence >= (0)::double precision) AND (type_confidence <= (1)::double precision))),
    CONSTRAINT documents_type_named CHECK (((octet_length(type) >= 1) AND (octet_length(type) <= 100)))
);

CREATE TABLE public.field_values (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    ordinal integer NOT NULL,
    value text NOT NULL,
    normal text NOT NULL,
    number numeric,
    day date,
    confidence real NOT NULL,
    source text NOT NULL,
    page integer,
    start_offset integer,
    end_offset integer,
    id bigint NOT NULL,
    state text DEFAULT 'unconfirmed'::text NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    corrects bigint,
    CONSTRAINT field_values_confidence_share CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT field_values_decided_when CHECK (((state = 'unconfirmed'::text) = (decided_at IS NULL))),
    CONSTRAINT field_values_named CHECK ((name ~ '^[a-z][a-z0-9_]{0,59}$'::text)),
    CONSTRAINT field_values_person_decided CHECK (((source <> 'person'::text) OR (state <> 'unconfirmed'::text))),
    CONSTRAINT field_values_place_sane CHECK (((page >= 1) AND (start_offset >= 0) AND (end_offset >= start_offset))),
    CONSTRAINT field_values_place_whole CHECK ((num_nonnulls(page, start_offset, end_offset) = ANY (ARRAY[0, 3]))),
    CONSTRAINT field_values_state_known CHECK ((state = ANY (ARRAY['unconfirmed'::text, 'confirmed'::text, 'rejected'::text])))
);

CREATE TABLE public.mentions (
    id bigint NOT NULL,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    text text NOT NULL,
    normal text NOT NULL,
    confidence real NOT NULL,
    source text NOT NULL,
    of_field text,
    entity_id uuid,
    state text DEFAULT 'unconfirmed'::text NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    CONSTRAINT mentions_confidence_share CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT mentions_decided_when CHECK (((state = 'unconfirmed'::text) = (decided_at IS NULL))),
    CONSTRAINT mentions_offsets_exact CHECK ((((end_offset - start_offset) = char_length(text)) AND (start_offset >= 0) AND (page >= 1))),
    CONSTRAINT mentions_state_known CHECK ((state = ANY (ARRAY['unconfirmed'::text, 'confirmed'::text, 'rejected'::text])))
);

CREATE FUNCTION public.fact_holds(d public.documents, fact jsonb) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (fact ? 'folder'::text) THEN ((d).folder_id = ((fact ->> 'folder'::text))::uuid) WHEN (fact ? 'tag'::text) THEN (public.tag_key((fact ->> 'tag'::text)) = ANY (public.tag_keys(((d).tags || (d).found_tags)))) WHEN (fact ? 'entities'::text) THEN (EXISTS (SELECT FROM public.mentions m WHERE ((m.document_id = (fact_holds.d).id) AND (m.state <> 'rejected'::text) AND (m.entity_id IN (SELECT (e.id)::uuid AS id FROM jsonb_array_elements_text((fact_holds.fact -> 'entities'::text)) e(id)))))) WHEN ((fact ->> 'name'::text) = 'type'::text) THEN (lower((d).type) = (fact ->> 'text'::text)) ELSE ((EXISTS (SELECT FROM public.field_values f WHERE ((f.document_id = (fact_holds.d).id) AND (f.name = (fact_holds.fact ->> 'name'::text)) AND (f.state <> 'rejected'::text) AND (((fact_holds.fact ->> 'text'::text) IS NULL) OR (strpos(lower(f.normal), (fact_holds.fact ->> 'text'::text)) > 0) OR (strpos(lower(f.value), (fact_holds.fact ->> 'text'::text)) > 0)) AND (((fact_holds.fact ->> 'above'::text) IS NULL) OR (f.number > ((fact_holds.fact ->> 'above'::text))::numeric)) AND (((fact_holds.fact ->> 'least'::text) IS NULL) OR (f.number >= ((fact_holds.fact ->> 'least'::text))::numeric)) AND (((fact_holds.fact ->> 'below'::text) IS NULL) OR (f.number < ((fact_holds.fact ->> 'below'::text))::numeric)) AND (((fact_holds.fact ->> 'most'::text) IS NULL) OR (f.number <= ((fact_holds.fact ->> 'most'::text))::numeric)) AND (((fact_holds.fact ->> 'first'::text) IS NULL) OR (f.day >= ((fact_holds.fact ->> 'first'::text))::date)) AND (((fact_holds.fact ->> 'last'::text) IS NULL) OR (f.day <= ((fact_holds.fact ->> 'last'::text))::date))))) OR (((fact ->> 'name'::text) = 'date'::text) AND (COALESCE((fact ->> 'first'::text), (fact ->> 'last'::text)) IS NOT NULL) AND ((d).document_date >= (COALESCE((fact ->> 'first'::text), '-infinity'::text))::date) AND ((d).document_date <= (COALESCE((fact ->> 'last'::text), 'infinity'::text))::date) AND (NOT (EXISTS (SELECT FROM public.field_values f WHERE ((f.document_id = (fact_holds.d).id) AND (f.name = 'date'::text) AND (f.state = 'rejected'::text) AND (f.day = (fact_holds.d).document_date))))))) END;

CREATE FUNCTION public.failure_is_final(category text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN COALESCE((category = ANY (ARRAY['ai_content_blocked'::text, 'ai_unauthorized'::text, 'ai_refused'::text, 'validation'::text, 'unsupported_file_type'::text, 'not_found'::text, 'unauthorized'::text, 'empty'::text, 'corrupt'::text, 'encrypted'::text, 'no_text'::text, 'not_installed'::text, 'unknown_type'::text])), false);

CREATE FUNCTION public.failures_in_words(failures jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT COALESCE(jsonb_agg(jsonb_build_object('failed_at', (f.it -> 'at'::text), 'error', (f.it -> 'message'::text), 'processor', (f.it -> 'worker'::text), 'retry_count', (f.it -> 'attempt'::text), 'category', (f.it -> 'category'::text), 'stage', (f.it -> 'stage'::text)) ORDER BY f.place), '[]'::jsonb) AS "coalesce" FROM jsonb_array_elements(CASE jsonb_typeof(failures_in_words.failures) WHEN 'array'::text THEN failures_in_words.failures ELSE '[]'::jsonb END) WITH ORDINALITY f(it, place));

CREATE TABLE public.entities (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    merged_into uuid,
    compared_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT entities_key_short CHECK (((char_length(key) >= 1) AND (char_length(key) <= 300))),
    CONSTRAINT entities_name_shown CHECK (((char_length(name) >= 1) AND (char_length(name) <= 500))),
    CONSTRAINT entities_not_into_itself CHECK ((merged_into <> id))
)
WITH (fillfactor='80');

CREATE FUNCTION public.family_name(root uuid) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT e.name FROM public.entities e WHERE ((e.id = family_name.root) OR (e.merged_into = family_name.root)) ORDER BY ((e.name <> upper(e.name)) AND (e.name <> lower(e.name))) DESC, (char_length(e.name)) DESC, (e.name COLLATE "C") DESC LIMIT 1);

CREATE FUNCTION public.find_entities(words text[], only_kinds text[], after_key text, after_id uuid, most integer) RETURNS SETOF public.entities
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
    (SELECT e.* FROM public.entities e
    WHERE words IS NULL AND e.workspace_id = public.current_workspace() AND e.merged_into IS NULL
        AND (only_kinds IS NULL OR e.kind = ANY (only_kinds))
        AND (after_key IS NULL OR (e.key COLLATE "C", e.id) > (after_key COLLATE "C", after_id))
    ORDER BY e.key COLLATE "C", e.id LIMIT most)
    UNION ALL
    (SELECT r.* FROM public.entities r
    WHERE words IS NOT NULL AND r.id IN (
        SELECT coalesce(f.merged_into, f.id)
        -- OFFSET 0: whatever the planner believes of tables it has not seen, the words come first.
        FROM (
            SELECT f.id, f.merged_into, f.workspace_id, f.kind FROM public.entities f
            WHERE public.scoped_terms(f.workspace_id, to_tsvector('simple'::regconfig, f.key)) @@ (
                SELECT string_agg(
                    quote_literal(left(public.current_workspace()::text, 8) || '1' || w.word) || ':*', ' & ')
                FROM unnest(words) AS w (word))::tsquery OFFSET 0) f
        WHERE f.workspace_id = public.current_workspace() AND (only_kinds IS NULL OR f.kind = ANY (only_kinds)))
        AND (after_key IS NULL OR (r.key COLLATE "C", r.id) > (after_key COLLATE "C", after_id))
    ORDER BY r.key COLLATE "C", r.id LIMIT most)
$$;

CREATE FUNCTION public.fold_text_changes(most integer) RETURNS bigint
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH taken AS (
        DELETE FROM public.text_changes WHERE id IN (
            SELECT t.id FROM public.text_changes t ORDER BY t.id LIMIT most FOR UPDATE SKIP LOCKED)
        RETURNING *),
    words AS (
        INSERT INTO public.lexemes AS l (workspace_id, lexeme, chunks, chunks_3, chunks_9)
        SELECT t.workspace_id, u.lexeme, sum(u.n), sum(u.n_3), sum(u.n_9)
        FROM taken t CROSS JOIN LATERAL unnest(t.lexemes, t.counts, t.counts_3, t.counts_9) AS u (lexeme, n, n_3, n_9)
        -- In order, so that two who add up at once never wait for each other in a circle.
        GROUP BY t.workspace_id, u.lexeme ORDER BY t.workspace_id, u.lexeme
        ON CONFLICT (workspace_id, lexeme) DO UPDATE SET chunks = l.chunks + excluded.chunks,
            chunks_3 = l.chunks_3 + excluded.chunks_3, chunks_9 = l.chunks_9 + excluded.chunks_9),
    sizes AS (
        INSERT INTO public.text_totals AS s (workspace_id, config, chunks, characters)
        SELECT t.workspace_id, t.config, sum(t.chunks), sum(t.characters) FROM taken t
        GROUP BY t.workspace_id, t.config ORDER BY t.workspace_id, t.config::oid
        ON CONFLICT (workspace_id, config) DO UPDATE SET chunks = s.chunks + excluded.chunks,
            characters = s.characters + excluded.characters)
    SELECT count(*) FROM taken
$$;

CREATE FUNCTION public.forget_unused_tags(most integer, rested interval, OUT seen bigint, OUT gone bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
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

CREATE FUNCTION public.get_or_create_project(project_name text, OUT project_fk_id bigint, OUT project_uuid uuid) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    LOOP
        SELECT w.seq, w.id INTO project_fk_id, project_uuid FROM workspaces w WHERE w.name = btrim(project_name);
        EXIT WHEN FOUND;
        INSERT INTO workspaces (name) VALUES (btrim(project_name)) ON CONFLICT (name) DO NOTHING
        RETURNING seq, id INTO project_fk_id, project_uuid;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

CREATE TEXT SEARCH DICTIONARY public.stem_danish (
    TEMPLATE = pg_catalog.snowball,
    language = 'danish' );

CREATE TEXT SEARCH DICTIONARY public.stem_dutch (
    TEMPLATE = pg_catalog.snowball,
    language = 'dutch' );

CREATE TEXT SEARCH DICTIONARY public.stem_english (
    TEMPLATE = pg_catalog.snowball,
    language = 'english' );

CREATE TEXT SEARCH DICTIONARY public.stem_finnish (
    TEMPLATE = pg_catalog.snowball,
    language = 'finnish' );

CREATE TEXT SEARCH DICTIONARY public.stem_french (
    TEMPLATE = pg_catalog.snowball,
    language = 'french' );

CREATE TEXT SEARCH DICTIONARY public.stem_german (
    TEMPLATE = pg_catalog.snowball,
    language = 'german' );

CREATE TEXT SEARCH DICTIONARY public.stem_hungarian (
    TEMPLATE = pg_catalog.snowball,
    language = 'hungarian' );

CREATE TEXT SEARCH DICTIONARY public.stem_italian (
    TEMPLATE = pg_catalog.snowball,
    language = 'italian' );

CREATE TEXT SEARCH DICTIONARY public.stem_norwegian (
    TEMPLATE = pg_catalog.snowball,
    language = 'norwegian' );

CREATE TEXT SEARCH DICTIONARY public.stem_portuguese (
    TEMPLATE = pg_catalog.snowball,
    language = 'portuguese' );

CREATE TEXT SEARCH DICTIONARY public.stem_romanian (
    TEMPLATE = pg_catalog.snowball,
    language = 'romanian' );

CREATE TEXT SEARCH DICTIONARY public.stem_russian (
    TEMPLATE = pg_catalog.snowball,
    language = 'russian' );

CREATE TEXT SEARCH DICTIONARY public.stem_spanish (
    TEMPLATE = pg_catalog.snowball,
    language = 'spanish' );

CREATE TEXT SEARCH DICTIONARY public.stem_swedish (
    TEMPLATE = pg_catalog.snowball,
    language = 'swedish' );

CREATE TEXT SEARCH DICTIONARY public.stem_turkish (
    TEMPLATE = pg_catalog.snowball,
    language = 'turkish' );

CREATE TEXT SEARCH CONFIGURATION public.every_danish (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR asciiword WITH public.stem_danish;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR word WITH public.stem_danish;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR hword_part WITH public.stem_danish;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR hword_asciipart WITH public.stem_danish;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR asciihword WITH public.stem_danish;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR hword WITH public.stem_danish;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_danish
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_dutch (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR asciiword WITH public.stem_dutch;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR word WITH public.stem_dutch;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR hword_part WITH public.stem_dutch;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR hword_asciipart WITH public.stem_dutch;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR asciihword WITH public.stem_dutch;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR hword WITH public.stem_dutch;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_dutch
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_english (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR asciiword WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR word WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR hword_part WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR hword_asciipart WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR asciihword WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR hword WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_english
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_finnish (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR asciiword WITH public.stem_finnish;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR word WITH public.stem_finnish;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR hword_part WITH public.stem_finnish;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR hword_asciipart WITH public.stem_finnish;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR asciihword WITH public.stem_finnish;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR hword WITH public.stem_finnish;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_finnish
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_french (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR asciiword WITH public.stem_french;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR word WITH public.stem_french;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR hword_part WITH public.stem_french;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR hword_asciipart WITH public.stem_french;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR asciihword WITH public.stem_french;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR hword WITH public.stem_french;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_french
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_german (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR asciiword WITH public.stem_german;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR word WITH public.stem_german;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR hword_part WITH public.stem_german;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR hword_asciipart WITH public.stem_german;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR asciihword WITH public.stem_german;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR hword WITH public.stem_german;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_german
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_hungarian (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR asciiword WITH public.stem_hungarian;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR word WITH public.stem_hungarian;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR hword_part WITH public.stem_hungarian;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR hword_asciipart WITH public.stem_hungarian;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR asciihword WITH public.stem_hungarian;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR hword WITH public.stem_hungarian;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_hungarian
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_italian (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR asciiword WITH public.stem_italian;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR word WITH public.stem_italian;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR hword_part WITH public.stem_italian;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR hword_asciipart WITH public.stem_italian;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR asciihword WITH public.stem_italian;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR hword WITH public.stem_italian;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_italian
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_norwegian (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR asciiword WITH public.stem_norwegian;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR word WITH public.stem_norwegian;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR hword_part WITH public.stem_norwegian;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR hword_asciipart WITH public.stem_norwegian;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR asciihword WITH public.stem_norwegian;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR hword WITH public.stem_norwegian;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_norwegian
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_portuguese (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR asciiword WITH public.stem_portuguese;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR word WITH public.stem_portuguese;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR hword_part WITH public.stem_portuguese;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR hword_asciipart WITH public.stem_portuguese;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR asciihword WITH public.stem_portuguese;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR hword WITH public.stem_portuguese;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_portuguese
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_romanian (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR asciiword WITH public.stem_romanian;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR word WITH public.stem_romanian;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR hword_part WITH public.stem_romanian;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR hword_asciipart WITH public.stem_romanian;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR asciihword WITH public.stem_romanian;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR hword WITH public.stem_romanian;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_romanian
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_russian (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR asciiword WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR word WITH public.stem_russian;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR hword_part WITH public.stem_russian;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR hword_asciipart WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR asciihword WITH public.stem_english;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR hword WITH public.stem_russian;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_russian
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_spanish (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR asciiword WITH public.stem_spanish;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR word WITH public.stem_spanish;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR hword_part WITH public.stem_spanish;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR hword_asciipart WITH public.stem_spanish;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR asciihword WITH public.stem_spanish;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR hword WITH public.stem_spanish;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_spanish
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_swedish (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR asciiword WITH public.stem_swedish;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR word WITH public.stem_swedish;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR hword_part WITH public.stem_swedish;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR hword_asciipart WITH public.stem_swedish;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR asciihword WITH public.stem_swedish;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR hword WITH public.stem_swedish;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_swedish
    ADD MAPPING FOR uint WITH simple;

CREATE TEXT SEARCH CONFIGURATION public.every_turkish (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR asciiword WITH public.stem_turkish;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR word WITH public.stem_turkish;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR hword_part WITH public.stem_turkish;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR hword_asciipart WITH public.stem_turkish;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR asciihword WITH public.stem_turkish;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR hword WITH public.stem_turkish;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION public.every_turkish
    ADD MAPPING FOR uint WITH simple;

CREATE FUNCTION public.language_config(language text) RETURNS regconfig
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language WHEN 'da'::text THEN 'public.every_danish'::regconfig WHEN 'de'::text THEN 'public.every_german'::regconfig WHEN 'en'::text THEN 'public.every_english'::regconfig WHEN 'es'::text THEN 'public.every_spanish'::regconfig WHEN 'fi'::text THEN 'public.every_finnish'::regconfig WHEN 'fr'::text THEN 'public.every_french'::regconfig WHEN 'hu'::text THEN 'public.every_hungarian'::regconfig WHEN 'it'::text THEN 'public.every_italian'::regconfig WHEN 'nl'::text THEN 'public.every_dutch'::regconfig WHEN 'no'::text THEN 'public.every_norwegian'::regconfig WHEN 'pt'::text THEN 'public.every_portuguese'::regconfig WHEN 'ro'::text THEN 'public.every_romanian'::regconfig WHEN 'ru'::text THEN 'public.every_russian'::regconfig WHEN 'sv'::text THEN 'public.every_swedish'::regconfig WHEN 'tr'::text THEN 'public.every_turkish'::regconfig ELSE 'simple'::regconfig END;

CREATE FUNCTION public.heading_terms(name text, title text, language text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector(public.language_config(language), translate(((COALESCE(title, ''::text) || ' '::text) || name), '_-.'::text, '   '::text));

CREATE FUNCTION public.hold_tags(of_workspace uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT pg_advisory_xact_lock_shared(hashtextextended('docyard tags ' || of_workspace::text, 0))
$$;

CREATE FUNCTION public.is_better_name(one text, other text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (ROW(((one <> upper(one)) AND (one <> lower(one))), char_length(one), (one COLLATE "C")) > ROW(((other <> upper(other)) AND (other <> lower(other))), char_length(other), (other COLLATE "C")));

CREATE FUNCTION public.wanted_facts() RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('docyard.facts'::text, true), ''::text))::jsonb;

CREATE FUNCTION public.is_wanted(d public.documents, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (((d).deleted_at IS NULL) AND ((only_types IS NULL) OR (EXISTS (SELECT FROM unnest(is_wanted.only_types) t(t) WHERE starts_with((is_wanted.d).media_type, t.t)))) AND ((only_tags IS NULL) OR (only_tags = '{}'::text[]) OR (public.tag_keys(((d).tags || (d).found_tags)) @> public.tag_keys(only_tags))) AND ((only_languages IS NULL) OR ((d).language = ANY (only_languages))) AND ((first_day IS NULL) OR (COALESCE((d).document_date, ((d).created_at)::date) >= first_day)) AND ((last_day IS NULL) OR (COALESCE((d).document_date, ((d).created_at)::date) <= last_day)) AND ((public.wanted_facts() IS NULL) OR (NOT (EXISTS (SELECT FROM jsonb_array_elements(public.wanted_facts()) f(fact) WHERE (public.fact_holds(is_wanted.d, f.fact) IS NOT TRUE))))));

CREATE FUNCTION public.job_word(state text, attempts integer, failures jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (state = ANY (ARRAY['running'::text, 'waiting'::text])) THEN 'processing'::text WHEN ((state = 'scheduled'::text) AND (((failures -> '-1'::integer) -> 'attempt'::text) = to_jsonb(attempts))) THEN 'failed'::text ELSE 'pending'::text END;

CREATE FUNCTION public.keep_arrived_tags() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.keep_changed_tags() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.known_words(words text[]) RETURNS TABLE(word integer, chunks bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT p.place::integer, l.chunks
    FROM public.text_totals t CROSS JOIN LATERAL unnest(to_tsvector(t.config, array_to_string(words, ' '))) AS u
    JOIN public.lexemes l ON l.workspace_id = t.workspace_id AND l.lexeme = u.lexeme AND l.chunks > 0
    CROSS JOIN LATERAL unnest(u.positions) AS p (place)
    WHERE t.workspace_id = public.current_workspace() AND t.chunks > 0
$$;

CREATE FUNCTION public.lock_document(wanted uuid) RETURNS public.documents
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    found_document documents;
    locked bigint;
    live bigint;
BEGIN
    LOOP
        SELECT count(*) INTO locked FROM (SELECT FROM jobs WHERE document_id = wanted ORDER BY id FOR UPDATE) l;
        SELECT count(*) INTO live FROM jobs WHERE document_id = wanted;
        -- A worker that ended the job we waited for has perhaps queued the next stage.
        EXIT WHEN locked = live;
    END LOOP;
    SELECT * INTO found_document FROM documents WHERE id = wanted AND deleted_at IS NULL FOR UPDATE;
    RETURN found_document;
END $$;

CREATE FUNCTION public.marking_query(config regconfig, words text, prefixes text[]) RETURNS tsquery
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT CASE WHEN (numnode(t.telling) > 0) THEN t.telling ELSE websearch_to_tsquery(marking_query.config, marking_query.words) END AS websearch_to_tsquery FROM (SELECT (websearch_to_tsquery((regexp_replace((marking_query.config)::text, '^.*every_'::text, ''::text))::regconfig, marking_query.words) || COALESCE((SELECT (string_agg((lower(p.p) || ':*'::text), ' | '::text))::tsquery AS string_agg FROM unnest(marking_query.prefixes) p(p)), ''::tsquery)) AS telling) t);

CREATE FUNCTION public.nearest_chunks(of_model smallint, wanted text, most integer, exact_up_to bigint, besides uuid, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) RETURNS TABLE(document_id uuid, chunk_id bigint, distance double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    size integer := (SELECT m.dims FROM public.embedding_models m WHERE m.id = of_model);
    me uuid := public.current_workspace();
    small boolean := (SELECT coalesce(sum(t.chunks), 0) <= exact_up_to FROM public.text_totals t
                      WHERE t.workspace_id = me);
BEGIN
    IF size IS NULL OR me IS NULL THEN
        RETURN;
    END IF;
    -- Goes on past passages of other workspaces until enough of this one are found.
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true);
    RETURN QUERY EXECUTE format(
        CASE WHEN small THEN
            'WITH mine AS MATERIALIZED (
                 SELECT e.document_id, e.chunk_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.chunk_embeddings e WHERE e.workspace_id = $2 AND e.model = %2$s)
             SELECT m.document_id, m.chunk_id, m.distance
             FROM mine m JOIN public.documents d ON d.id = m.document_id
             WHERE m.document_id IS DISTINCT FROM $4 AND public.is_wanted(d, $5, $6, $7, $8, $9)
             ORDER BY m.distance, m.chunk_id LIMIT $3'
        ELSE
            'SELECT f.document_id, f.chunk_id, f.distance FROM (
                 SELECT e.document_id, e.chunk_id, (e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s))::float8 AS distance
                 FROM public.chunk_embeddings e
                 WHERE e.model = %2$s AND e.workspace_id = $2 AND e.document_id IS DISTINCT FROM $4
                     AND EXISTS (SELECT FROM public.documents d
                                 WHERE d.id = e.document_id AND public.is_wanted(d, $5, $6, $7, $8, $9))
                 ORDER BY e.vector::halfvec(%1$s) <=> $1::halfvec(%1$s) LIMIT $3) f
             ORDER BY f.distance, f.chunk_id' END, size, of_model)
    USING wanted, me, most, besides, only_types, only_tags, only_languages, first_day, last_day;
END $_$;

CREATE FUNCTION public.nearest_tags(of_model smallint, wanted text, most integer, exact_up_to bigint) RETURNS TABLE(name text, key text, distance double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
END $_$;

CREATE FUNCTION public.new_job_id() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE FUNCTION public.note_reset(noted public.documents, previous_status text, last_processor text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    UPDATE documents SET status = 'pending', completed_at = NULL, updated_at = clock_timestamp(),
        reason = CASE WHEN noted.completed_at IS NULL THEN reason END,
        reason_category = CASE WHEN noted.completed_at IS NULL THEN reason_category END,
        running_seconds = CASE WHEN noted.completed_at IS NULL THEN running_seconds ELSE 0 END,
        processor_metadata = processor_metadata - 'last_processor' - 'status' || jsonb_build_object(
            'retry_history', h.so_far || jsonb_build_object(
                'retry_number', jsonb_array_length(h.so_far) + 1, 'reset_at', clock_timestamp(),
                'previous_status', previous_status,
                'last_processor', coalesce(noted.processor_metadata ->> 'last_processor', last_processor)))
    FROM (SELECT CASE jsonb_typeof(noted.processor_metadata -> 'retry_history')
                 WHEN 'array' THEN noted.processor_metadata -> 'retry_history' ELSE '[]' END AS so_far) h
    WHERE id = noted.id;
    SELECT pg_notify('docyard_documents', noted.workspace_id || ':' || noted.id);
$$;

CREATE FUNCTION public.note_text_change(of_workspace uuid, configs regconfig[], texts text[], sign integer) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH passages AS (SELECT * FROM unnest(configs, texts) AS p (config, text)),
    counted AS (
        SELECT p.config, u.lexeme, count(*) AS n, count(*) FILTER (WHERE cardinality(u.positions) >= 3) AS n_3,
            count(*) FILTER (WHERE cardinality(u.positions) >= 9) AS n_9
        FROM passages p CROSS JOIN LATERAL unnest(to_tsvector(p.config, public.search_text(p.text))) AS u
        GROUP BY p.config, u.lexeme),
    words AS (
        SELECT c.config, array_agg(c.lexeme) AS lexemes, array_agg(c.n * sign) AS n, array_agg(c.n_3 * sign) AS n_3,
            array_agg(c.n_9 * sign) AS n_9
        FROM counted c GROUP BY c.config),
    sizes AS (
        SELECT p.config, count(*) * sign AS chunks, sum(char_length(p.text)) * sign AS characters
        FROM passages p GROUP BY p.config)
    INSERT INTO public.text_changes (workspace_id, config, chunks, characters, lexemes, counts, counts_3, counts_9)
    SELECT of_workspace, s.config, s.chunks, s.characters, coalesce(w.lexemes, '{}'), coalesce(w.n, '{}'),
        coalesce(w.n_3, '{}'), coalesce(w.n_9, '{}')
    FROM sizes s LEFT JOIN words w ON w.config = s.config
$$;

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
        breaker_allowance(of_pool),
        (SELECT floor(r.tokens)::integer FROM refilled r),
        p.max_running - CASE WHEN p.max_running IS NOT NULL THEN
            (SELECT count(*)::integer FROM jobs j WHERE j.state = 'running' AND j.pool = of_pool) END)) END
    FROM pools p WHERE p.pool = of_pool
$$;

CREATE FUNCTION public.prepare_embeddings() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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
END $$;

CREATE FUNCTION public.query_lexemes(words text[], prefixes text[]) RETURNS TABLE(word integer, config regconfig, lexeme text, prefix boolean, chunks bigint, chunks_3 bigint, chunks_9 bigint, telling boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    WITH configs AS (
        SELECT t.config FROM public.text_totals t
        WHERE t.workspace_id = public.current_workspace() AND t.chunks > 0
        UNION SELECT c.config FROM public.text_changes c WHERE c.workspace_id = public.current_workspace()
        UNION SELECT 'simple'::regconfig),
    -- The little words of each language: they order what other words found, and find nothing by themselves.
    little AS (
        SELECT w.n::integer AS word, c.config FROM unnest(words) WITH ORDINALITY AS w (word, n) CROSS JOIN configs c
        WHERE c.config <> 'simple'::regconfig
            AND to_tsvector(regexp_replace(c.config::text, '^.*every_', '')::regconfig, w.word) = ''),
    forms AS (
        SELECT w.n::integer AS word, c.config, u.lexeme, false AS prefix
        FROM unnest(words) WITH ORDINALITY AS w (word, n) CROSS JOIN configs c
        CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector(c.config, w.word))) AS u (lexeme)
        UNION ALL
        SELECT (cardinality(words) + p.n)::integer, c.config, lower(p.prefix), true
        FROM unnest(prefixes) WITH ORDINALITY AS p (prefix, n) CROSS JOIN configs c)
    SELECT f.word, f.config, f.lexeme, f.prefix, coalesce(l.chunks, 0), coalesce(l.chunks_3, 0), coalesce(l.chunks_9, 0),
        NOT EXISTS (SELECT FROM little k WHERE k.word = f.word AND (k.config = f.config OR f.config = 'simple'::regconfig))
    FROM forms f LEFT JOIN LATERAL (
        SELECT k.chunks, k.chunks_3, k.chunks_9 FROM public.lexemes k
        WHERE NOT f.prefix AND k.workspace_id = public.current_workspace() AND k.lexeme = f.lexeme
        UNION ALL
        SELECT sum(k.chunks)::bigint, sum(k.chunks_3)::bigint, sum(k.chunks_9)::bigint FROM (
            SELECT * FROM public.lexemes k
            WHERE k.workspace_id = public.current_workspace() AND k.lexeme >= f.lexeme COLLATE "C"
                AND k.lexeme < (f.lexeme || U&'\+10FFFF') COLLATE "C"
            LIMIT 1000) k
        HAVING f.prefix) l ON true
    ORDER BY f.word, f.config::oid, f.lexeme
$$;

CREATE FUNCTION public.rank_chunks(probes text[], depths integer[], configs regconfig[], queries text[], prefixes boolean[], words integer[], telling boolean[], weights double precision[], mean_length double precision, required text, excluded text, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) RETURNS TABLE(document_id uuid, chunk_id bigint, score double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashjoin TO 'off'
    SET jit TO 'off'
    SET work_mem TO '64MB'
    AS $$
    WITH me AS MATERIALIZED (
        SELECT public.current_workspace() AS id,
            num_nonnulls(only_types, only_tags, only_languages, first_day, last_day) = 0 AS takes_all),
    units AS MATERIALIZED (
        SELECT u.config, u.word, u.weight, u.prefix, u.query::tsquery AS query,
            -- Where all words are little ones, each of them counts.
            u.telling OR NOT bool_or(u.telling) OVER (PARTITION BY u.config) AS telling
        FROM unnest(configs, queries, prefixes, words, telling, weights)
            AS u (config, query, prefix, word, telling, weight)),
    wanted AS MATERIALIZED (
        SELECT u.config, CASE WHEN required <> '' THEN websearch_to_tsquery(u.config, required) END AS query
        FROM (SELECT DISTINCT config FROM units) u),
    everything AS (SELECT sum(best.weight) AS weight FROM (
        SELECT max(weight) AS weight FROM units GROUP BY word) best),
    passages AS MATERIALIZED (
        SELECT DISTINCT ON (found.id) found.*
        FROM me CROSS JOIN unnest(probes, depths) AS p (query, depth) CROSS JOIN LATERAL (
            SELECT c.id, c.document_id, c.config,
                -- Joined with nothing, the words are unpacked once and not for each question about them.
                c.terms || ''::tsvector AS terms,
                1.2 * (0.25 + 0.75 * c.length / mean_length) AS k
            -- OFFSET 0: whatever the planner believes of tables it has not seen, the words come first.
            FROM (
                SELECT c.id, c.document_id, c.workspace_id, c.config, c.terms, c.end_offset - c.start_offset AS length
                FROM public.chunks c
                WHERE public.scoped_terms(c.workspace_id, c.terms) @@ p.query::tsquery OFFSET 0) c
            JOIN public.documents d ON d.id = c.document_id
            WHERE c.workspace_id = me.id
                -- Not joined: the planner would gather every passage first, and stop at the limit only then.
                AND (required = '' OR c.terms @@ (SELECT w.query FROM wanted w WHERE w.config = c.config))
                AND d.deleted_at IS NULL
                AND (me.takes_all OR public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day))
            LIMIT p.depth) found
        ORDER BY found.id),
    scored AS (
        SELECT p.id, p.document_id, sum(h.weight * h.tf * 2.2 / (h.tf + p.k)) * (
            0.7 + 0.3 * least(1, sum(h.weight) / e.weight)) AS score
        FROM passages p CROSS JOIN everything e CROSS JOIN LATERAL (
            SELECT u.word, bool_or(u.telling) AS telling, max(u.weight) AS weight, max(CASE WHEN u.prefix THEN 1 ELSE
                -- ts_rank of one word is the sum of 1/k² for its k places, by π²/6; this turns it back into their number.
                round(1 / (1.6449340668 * (1.0000001 - r.rank)) - 0.5) END) AS tf
            FROM units u CROSS JOIN LATERAL (SELECT ts_rank('{1,1,1,1}', p.terms, u.query)::float8 AS rank) r
            WHERE u.config = p.config AND r.rank > 1e-10 GROUP BY u.word) h
        GROUP BY p.id, p.document_id, e.weight HAVING bool_or(h.telling)),
    headed AS (
        SELECT d.id, (SELECT coalesce(sum(m.weight), 0) FROM (
            SELECT max(u.weight) AS weight FROM units u
            WHERE u.config = h.config AND u.telling AND h.terms @@ u.query GROUP BY u.word) m) AS score
        FROM (SELECT DISTINCT found.id FROM me CROSS JOIN unnest(probes) AS p (query) CROSS JOIN LATERAL (
            SELECT d.id FROM (
                SELECT d.id, d.workspace_id FROM public.documents d
                WHERE d.deleted_at IS NULL
                    AND public.scoped_terms(d.workspace_id, public.heading_terms(d.name, d.title, d.language))
                        @@ p.query::tsquery OFFSET 0) f JOIN public.documents d ON d.id = f.id
            WHERE f.workspace_id = me.id
                AND (me.takes_all OR public.is_wanted(d, only_types, only_tags, only_languages, first_day, last_day))
            LIMIT 200) found) f
        JOIN public.documents d ON d.id = f.id CROSS JOIN LATERAL (
            SELECT public.language_config(d.language) AS config,
                public.heading_terms(d.name, d.title, d.language) AS terms) h
        LEFT JOIN wanted w ON w.config = h.config
        WHERE (w.query IS NULL OR h.terms @@ w.query) AND (excluded = '' OR NOT EXISTS (
            SELECT FROM public.chunks c
            WHERE c.document_id = d.id AND NOT c.terms @@ websearch_to_tsquery(c.config, excluded)))),
    best AS (
        SELECT DISTINCT ON (s.document_id) s.document_id, s.id, s.score FROM scored s
        ORDER BY s.document_id, s.score DESC, s.id)
    SELECT coalesce(b.document_id, h.id), b.id, coalesce(b.score, 0) + 0.3 * coalesce(h.score, 0) AS score
    FROM best b FULL JOIN headed h ON h.id = b.document_id
    WHERE coalesce(b.score, 0) + coalesce(h.score, 0) > 0
    ORDER BY score DESC, 1
$$;

CREATE FUNCTION public.receive_extraction_job() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    of_tier smallint := (SELECT t.tier FROM tiers t WHERE t.name = coalesce(NEW.priority, 'background'));
    given jsonb := coalesce(NEW.payload, '{}');
    wrong text := CASE
        WHEN extraction_pool(NEW.job_type) IS NULL THEN format(
            'There is no job type %s; the types are email_embedding, attachment_ingestion and document_ocr',
            coalesce(quote_literal(NEW.job_type), 'NULL'))
        WHEN of_tier IS NULL THEN format('There is no priority %L; the tiers are %s', NEW.priority,
            (SELECT string_agg(t.name, ', ' ORDER BY t.tier) FROM tiers t))
        WHEN jsonb_typeof(given) <> 'object' THEN 'The payload must be a JSON object'
        WHEN jsonb_typeof(coalesce(NEW.metadata, '{}')) <> 'object' THEN 'The metadata must be a JSON object'
        WHEN coalesce(NEW.status, 'pending') <> 'pending' THEN 'A new job is pending, or has no status at all'
        WHEN NOT EXISTS (SELECT FROM workspaces w WHERE w.id = NEW.yacht_id) THEN format(
            'There is no workspace with yacht_id %s', coalesce(NEW.yacht_id::text, 'NULL')) END;
BEGIN
    IF coalesce(NEW.metadata, '{}') <> '{}' AND wrong IS NULL THEN
        given := given || jsonb_build_object('metadata', NEW.metadata);
    END IF;
    IF wrong IS NULL AND pg_column_size(given) > 65536 THEN
        wrong := 'The payload must be at most 64 KiB';
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION '%', wrong USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO jobs (id, workspace_id, pool, tier, type, entity_type, entity_id, payload, created_at, arrived_at)
    VALUES (coalesce(NEW.id, new_job_id()), NEW.yacht_id, extraction_pool(NEW.job_type), of_tier, NEW.job_type,
        NEW.entity_type, NEW.entity_id, given, coalesce(NEW.created_at, now()), coalesce(NEW.created_at, now()))
    RETURNING id, created_at, attempts INTO NEW.id, NEW.created_at, NEW.attempts;
    PERFORM pg_notify('docyard_jobs', extraction_pool(NEW.job_type));
    NEW.priority := coalesce(NEW.priority, 'background');
    NEW.payload := given - 'metadata';
    NEW.status := 'pending';
    RETURN NEW;
END $$;

CREATE FUNCTION public.receive_source_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
    word text := coalesce(NEW.initial_processing_status, 'pending_intake');
    project workspaces;
BEGIN
    IF NEW.id IS NOT NULL THEN
        RAISE EXCEPTION 'The id of a document is given by Docyard' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Leave id out; document_uuid may be given.';
    END IF;
    IF word NOT IN ('pending_intake', 'pre_ocr_pending', 'completed') AND word NOT LIKE 'error%' THEN
        RAISE EXCEPTION 'A document cannot arrive with the status %', quote_literal(word)
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Arrive as pending_intake, pre_ocr_pending, completed or error….';
    END IF;
    IF NEW.s3_key <> substring(coalesce(NEW.original_file_path, '') FROM '^s3://[^/]+/(.+)$') IS NOT FALSE
        AND NEW.s3_key IS NOT NULL THEN
        RAISE EXCEPTION 's3_key % is not the key of original_file_path', quote_literal(NEW.s3_key)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Give original_file_path as s3://bucket/key.';
    END IF;
    IF coalesce(NEW.original_file_name, NEW.original_file_path) IS NULL THEN
        RAISE EXCEPTION 'A document needs original_file_name or original_file_path'
            USING ERRCODE = 'not_null_violation';
    END IF;
    IF NEW.project_uuid IS NOT NULL THEN
        SELECT * INTO project FROM workspaces WHERE id = NEW.project_uuid;
    ELSE
        SELECT * INTO project FROM workspaces WHERE seq = NEW.project_fk_id;
    END IF;
    IF project.id IS NULL OR project.seq <> NEW.project_fk_id THEN
        RAISE EXCEPTION 'There is no workspace with project_uuid % and project_fk_id %',
            coalesce(NEW.project_uuid::text, 'NULL'), coalesce(NEW.project_fk_id::text, 'NULL')
            USING ERRCODE = 'foreign_key_violation',
            HINT = 'Name an existing one by project_uuid, project_fk_id or both.';
    END IF;
    INSERT INTO documents (
        id, workspace_id, name, original_path, media_type, size, sha256, title, summary, document_date, language, tags,
        created_at, status, completed_at, reason, reason_category, processor_metadata)
    VALUES (
        coalesce(NEW.document_uuid, gen_random_uuid()), project.id,
        coalesce(NEW.original_file_name, substring(NEW.original_file_path FROM '[^/]+$')), NEW.original_file_path,
        NEW.detected_file_type, NEW.file_size, NEW.sha256, NEW.title, NEW.summary, NEW.document_date, NEW.language,
        coalesce(NEW.tags, '{}'), coalesce(NEW.created_at, now()),
        CASE WHEN word = 'completed' THEN word WHEN word LIKE 'error%' THEN 'failed' ELSE 'pending' END,
        CASE WHEN word = 'completed' OR word LIKE 'error%' THEN clock_timestamp() END,
        CASE WHEN word LIKE 'error%' THEN coalesce(NEW.error_message, 'It arrived with the status ' || word || '.') END,
        CASE WHEN word LIKE 'error%' THEN 'outside' END,
        CASE WHEN word LIKE 'error%' THEN jsonb_build_object('status', word) ELSE '{}' END)
    RETURNING seq, id, name, created_at, updated_at, tags
    INTO NEW.id, NEW.document_uuid, NEW.original_file_name, NEW.created_at, NEW.updated_at, NEW.tags;
    NEW.project_uuid := project.id;
    NEW.project_fk_id := project.seq;
    NEW.initial_processing_status := word;
    RETURN NEW;
END $_$;

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

CREATE FUNCTION public.remove_connection(of_id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
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
END $_$;

CREATE FUNCTION public.requeue_document(wanted uuid, said text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    d documents := lock_document(wanted);
    j jobs;
BEGIN
    IF d.id IS NULL THEN
        RETURN false;
    END IF;
    SELECT * INTO j FROM jobs WHERE document_id = wanted AND type = 'document'
    ORDER BY array_position(road_stages(), stage), id LIMIT 1;
    IF j.id IS NULL THEN
        RETURN requeue_ended(d);
    ELSIF j.state = 'scheduled' THEN
        UPDATE jobs SET state = 'pending', run_at = NULL WHERE id = j.id;
    ELSIF j.state = 'running' AND j.attempts < j.max_attempts THEN
        UPDATE jobs SET state = 'pending', fence = fence + 1, worker_id = NULL, deadline_at = NULL, started_at = NULL,
            failure_history = failure_history || jsonb_build_object(
                'at', clock_timestamp(), 'category', 'outside', 'message', coalesce(said, 'Taken back by an operator.'),
                'worker', j.worker_id, 'attempt', j.attempts, 'stage', j.stage)
        WHERE id = j.id;
    ELSIF j.state = 'running' THEN
        -- Without an attempt left it would run for ever, or never again.
        RETURN end_document(wanted, 'failed', 'failed', coalesce(said, 'No attempt was left.'), NULL);
    ELSE
        RETURN false;
    END IF;
    PERFORM note_reset(d, job_word(j.state, j.attempts, j.failure_history),
                       coalesce(j.worker_id::text, j.failure_history -> -1 ->> 'worker')),
            pg_notify('docyard_jobs', j.pool);
    RETURN true;
END $$;

CREATE FUNCTION public.requeue_ended(d public.documents) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.reset_failed_documents_for_retry(cool_down interval DEFAULT '00:05:00'::interval) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    reset_count integer;
BEGIN
    UPDATE document_processing_queue SET status = 'pending'
    WHERE status = 'failed' AND retry_count < max_retries
        AND completed_at <= clock_timestamp() - coalesce(cool_down, interval '5 minutes');
    GET DIAGNOSTICS reset_count = ROW_COUNT;
    RETURN reset_count;
END $$;

CREATE FUNCTION public.road_stages() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['fetch'::text, 'extract'::text, 'ocr'::text, 'classify'::text, 'chunk'::text, 'classify_ai'::text, 'fields'::text, 'entities'::text, 'canonicalise'::text, 'relate'::text];

CREATE FUNCTION public.scoped_tags(workspace_id uuid, given text[], found text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT COALESCE(array_agg(("left"((scoped_tags.workspace_id)::text, 8) || k.key)), '{}'::text[]) AS "coalesce" FROM unnest(public.tag_keys((scoped_tags.given || scoped_tags.found))) k(key));

CREATE FUNCTION public.scoped_terms(workspace_id uuid, terms tsvector) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT coalesce(array_to_tsvector(array_agg(left(workspace_id::text, 8) || t.tier || left(u.lexeme, 255))), '')
    FROM unnest(terms) AS u CROSS JOIN LATERAL unnest(
        CASE WHEN cardinality(u.positions) >= 9 THEN '{1,3,9}'::text[]
             WHEN cardinality(u.positions) >= 3 THEN '{1,3}'::text[] ELSE '{1}'::text[] END) AS t (tier)
$$;

CREATE FUNCTION public.unbroken(written text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(written, '(?<=[[:alpha:]])(?:[-‐­][ 	]*
[ 	]*|­)(?=[[:lower:]])'::text, ''::text, 'g'::text);

CREATE FUNCTION public.search_text(written text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN (written ~ '[-‐­][ 	]*
|­'::text) THEN (public.unbroken(written) || COALESCE((SELECT (' '::text || string_agg(((m.m[1] || '-'::text) || m.m[2]), ' '::text)) FROM regexp_matches(search_text.written, '([[:alpha:]]+)[-‐][ 	]*
[ 	]*([[:lower:]][[:alpha:]]*)'::text, 'g'::text) m(m)), ''::text)) ELSE written END;

CREATE FUNCTION public.session_identity(session_hash bytea) RETURNS TABLE(user_id uuid, email text, workspace_id uuid, workspace_name text, role text, csrf_token text, operator boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT u.id, u.email, w.id, w.name, m.role, s.csrf_token, u.operator
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

CREATE FUNCTION public.set_queue_status(wanted uuid, word text, said text, processor text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    IF word = 'pending' THEN
        RETURN requeue_document(wanted, said);
    ELSIF word IN ('completed', 'failed', 'cancelled') THEN
        RETURN end_document(wanted, word, word, said, processor);
    ELSIF word = 'processing' THEN
        RAISE EXCEPTION 'A document cannot be set to processing: only a worker''s claim gives leases'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, completed, failed or cancelled.';
    END IF;
    RAISE EXCEPTION 'There is no queue status %', coalesce(quote_literal(word), 'NULL')
        USING ERRCODE = 'invalid_parameter_value', HINT = 'Set pending, completed, failed or cancelled.';
END $$;

CREATE FUNCTION public.shown_name(text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN "left"(btrim(regexp_replace(text, '\s+'::text, ' '::text, 'g'::text)), 500);

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

CREATE FUNCTION public.telling_words(of_document uuid, most integer) RETURNS TABLE(config regconfig, lexeme text, chunks bigint, chunks_3 bigint, chunks_9 bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
    SELECT w.config, w.lexeme, l.chunks, l.chunks_3, l.chunks_9
    FROM (
        SELECT c.config, u.lexeme, count(*) AS own, sum(cardinality(u.positions)) AS times
        FROM (SELECT * FROM public.chunks c
              WHERE c.document_id = of_document AND c.workspace_id = public.current_workspace()
              ORDER BY c.ordinal LIMIT 50) c
        CROSS JOIN LATERAL unnest(c.terms) AS u
        WHERE char_length(u.lexeme) BETWEEN 3 AND 40 AND u.lexeme !~ '^[0-9.,/-]+$' GROUP BY c.config, u.lexeme) w
    -- What nobody else has leads to nobody.
    JOIN public.lexemes l ON l.workspace_id = public.current_workspace() AND l.lexeme = w.lexeme AND l.chunks > w.own
    ORDER BY w.times / (w.times + 1.2) * ln(1 + (
        SELECT sum(t.chunks) FROM public.text_totals t WHERE t.workspace_id = public.current_workspace())
        / l.chunks) DESC, w.lexeme
    LIMIT most
$_$;

CREATE FUNCTION public.text_size() RETURNS TABLE(chunks bigint, characters bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    SELECT coalesce(sum(t.chunks), 0)::bigint, coalesce(sum(t.characters), 0)::bigint
    FROM public.text_totals t WHERE t.workspace_id = public.current_workspace()
$$;

CREATE FUNCTION public.update_queue_status_with_history(queue_id bigint, new_status text, error_message text DEFAULT NULL::text, processor_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
    wanted uuid := (SELECT d.id FROM documents d WHERE d.seq = queue_id AND d.deleted_at IS NULL);
BEGIN
    IF wanted IS NULL THEN
        RAISE EXCEPTION 'There is no queue entry %', coalesce(queue_id::text, 'NULL') USING ERRCODE = 'no_data_found';
    END IF;
    PERFORM set_queue_status(wanted, new_status, error_message, processor_id);
END $$;

CREATE FUNCTION public.workspace_room(of_pool text, of_workspace uuid) RETURNS bigint
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS $$
    SELECT CASE WHEN w.paused THEN 0 ELSE greatest(0, w.max_running - (
        SELECT count(*) FROM jobs j
        WHERE j.state = 'running' AND j.pool = of_pool AND j.workspace_id = of_workspace)) END
    FROM workspace_limits w WHERE w.workspace_id = of_workspace
$$;

CREATE TABLE public.attachments (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    member text NOT NULL,
    ordinal integer NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    root_id uuid NOT NULL,
    child_id uuid,
    reason text,
    CONSTRAINT attachments_end_clear CHECK (((child_id IS NULL) OR (reason IS NULL))),
    CONSTRAINT attachments_member_short CHECK (((octet_length(member) >= 1) AND (octet_length(member) <= 200))),
    CONSTRAINT attachments_named CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 1024))),
    CONSTRAINT attachments_size_sane CHECK ((size >= 0))
);

CREATE TABLE public.blobs (
    workspace_id uuid NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT blobs_sha256_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT blobs_size_sane CHECK ((size >= 0))
);

CREATE TABLE public.breaker_marks (
    pool text NOT NULL COLLATE pg_catalog."C",
    good integer NOT NULL,
    bad integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    category text,
    message text,
    CONSTRAINT breaker_marks_one_kind CHECK (((good > 0) <> (bad > 0)))
)
WITH (autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0');

CREATE TABLE public.chunk_embeddings (
    chunk_id bigint NOT NULL,
    model smallint NOT NULL,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    vector public.halfvec NOT NULL
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
    heading text DEFAULT ''::text NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector(config, public.search_text(text))) STORED NOT NULL,
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

CREATE TABLE public.common_blocks (
    block bigint NOT NULL,
    workspace_id uuid NOT NULL,
    counted_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.connections (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    base_url text,
    sealed_key bytea,
    classifies boolean DEFAULT false NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    tried_at timestamp with time zone,
    tried_seconds real,
    trouble text,
    CONSTRAINT connections_key_sealed CHECK (((SUBSTRING(sealed_key FROM 1 FOR 5) = '\x6741414141'::bytea) AND (length(sealed_key) >= 100))),
    CONSTRAINT connections_model_named CHECK (((model = btrim(model)) AND ((length(model) >= 1) AND (length(model) <= 200)))),
    CONSTRAINT connections_name_shown CHECK (((name = btrim(name)) AND ((length(name) >= 1) AND (length(name) <= 200)))),
    CONSTRAINT connections_provider_known CHECK ((provider = ANY (ARRAY['openai'::text, 'anthropic'::text, 'google'::text, 'ollama'::text]))),
    CONSTRAINT connections_tried_whole CHECK (((tried_at IS NOT NULL) OR (num_nonnulls(tried_seconds, trouble) = 0))),
    CONSTRAINT connections_url_of_web CHECK (((base_url ~ '^https?://'::text) AND (length(base_url) <= 500)))
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
    parent_id uuid,
    children integer DEFAULT 0 NOT NULL,
    children_left integer DEFAULT 0 NOT NULL,
    children_failed integer DEFAULT 0 NOT NULL,
    CONSTRAINT jobs_attempt_left CHECK (((state <> ALL (ARRAY['pending'::text, 'scheduled'::text])) OR (attempts < max_attempts))),
    CONSTRAINT jobs_attempts_counted CHECK ((((attempts >= 0) AND (attempts <= max_attempts)) AND ((max_attempts >= 1) AND (max_attempts <= 100)))),
    CONSTRAINT jobs_children_counted CHECK ((((children_left >= 0) AND (children_left <= children)) AND ((children_failed >= 0) AND (children_failed <= children)))),
    CONSTRAINT jobs_document_whole CHECK (((type <> 'document'::text) OR ((document_id IS NOT NULL) AND (stage IS NOT NULL)))),
    CONSTRAINT jobs_held_while_running CHECK ((((state = 'running'::text) = (worker_id IS NOT NULL)) AND ((state = 'running'::text) = (deadline_at IS NOT NULL)))),
    CONSTRAINT jobs_history_list CHECK ((jsonb_typeof(failure_history) = 'array'::text)),
    CONSTRAINT jobs_payload_small CHECK (((jsonb_typeof(payload) = 'object'::text) AND (pg_column_size(payload) <= 65536))),
    CONSTRAINT jobs_priority_sane CHECK (((priority >= '-32768'::integer) AND (priority <= 32767))),
    CONSTRAINT jobs_scheduled_when CHECK (((state <> 'scheduled'::text) OR (run_at IS NOT NULL))),
    CONSTRAINT jobs_state_known CHECK ((state = ANY (ARRAY['scheduled'::text, 'pending'::text, 'running'::text, 'waiting'::text]))),
    CONSTRAINT jobs_waiting_bounded CHECK (((state <> 'waiting'::text) OR ((run_at IS NOT NULL) AND (children_left > 0))))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.1', vacuum_truncate='false');

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

CREATE VIEW public.document_processing_queue WITH (security_invoker='true') AS
 SELECT id,
    source_document_id,
    source_document_uuid,
    status,
        CASE
            WHEN ((status = 'failed'::text) AND (job_id IS NULL)) THEN 'permanently_failed'::text
            ELSE status
        END AS final_status,
        CASE
            WHEN read THEN 'ocr_complete'::text
            WHEN (status = 'failed'::text) THEN 'ocr_failed'::text
            WHEN (status = ANY (ARRAY['pending'::text, 'processing'::text])) THEN ('pre_ocr_'::text || status)
            ELSE NULL::text
        END AS ocr_phase,
    priority,
    attempts,
    attempts AS retry_count,
    max_attempts,
    max_attempts AS max_retries,
    processor_id,
    last_attempt_at,
    last_error,
    last_error AS error_message,
    started_at AS processing_started_at,
    started_at,
    completed_at AS processing_completed_at,
    completed_at,
    created_at,
    updated_at,
    (processor_metadata || jsonb_strip_nulls(jsonb_build_object('last_processor', processor_id))) AS processor_metadata,
    public.failures_in_words(failures) AS failure_history
   FROM ( SELECT d.seq AS id,
            d.seq AS source_document_id,
            d.id AS source_document_uuid,
            j.id AS job_id,
            d.priority,
                CASE
                    WHEN (j.id IS NULL) THEN d.status
                    ELSE public.job_word(j.state, j.attempts, j.failure_history)
                END AS status,
            COALESCE(j.attempts, p.attempts, 0) AS attempts,
            COALESCE(j.max_attempts, p.max_attempts, 3) AS max_attempts,
            COALESCE((j.worker_id)::text, (d.processor_metadata ->> 'last_processor'::text), p.worker, ((j.failure_history -> '-1'::integer) ->> 'worker'::text)) AS processor_id,
            GREATEST(j.started_at, d.attempt_started_at) AS last_attempt_at,
            COALESCE(d.reason, ((j.failure_history -> '-1'::integer) ->> 'message'::text)) AS last_error,
                CASE
                    WHEN (j.id IS NULL) THEN d.attempt_started_at
                    ELSE j.started_at
                END AS started_at,
                CASE
                    WHEN (d.completed_at IS NOT NULL) THEN d.completed_at
                    WHEN (public.job_word(j.state, j.attempts, j.failure_history) = 'failed'::text) THEN d.updated_at
                    ELSE NULL::timestamp with time zone
                END AS completed_at,
            d.created_at,
            GREATEST(d.updated_at, j.started_at) AS updated_at,
            d.processor_metadata,
            COALESCE(j.failure_history, p.failure_history, '[]'::jsonb) AS failures,
            ((d.status = 'completed'::text) OR ((d.stage IS DISTINCT FROM 'ocr'::text) AND (EXISTS ( SELECT
                   FROM public.stage_results r
                  WHERE ((r.document_id = d.id) AND (r.stage = 'extract'::text)))))) AS read
           FROM ((public.documents d
             LEFT JOIN LATERAL ( SELECT jobs.id,
                    jobs.state,
                    jobs.attempts,
                    jobs.max_attempts,
                    jobs.worker_id,
                    jobs.started_at,
                    jobs.failure_history
                   FROM public.jobs
                  WHERE ((jobs.document_id = d.id) AND (jobs.type = 'document'::text))
                  ORDER BY (array_position(public.road_stages(), jobs.stage)), jobs.id
                 LIMIT 1) j ON (true))
             LEFT JOIN LATERAL ( SELECT l.attempts,
                    l.max_attempts,
                    ((l.failure_history -> '-1'::integer) ->> 'worker'::text) AS worker,
                    l.failure_history,
                    l.died_at AS ended_at
                   FROM public.dead_letters l
                  WHERE ((d.status = 'failed'::text) AND (l.document_id = d.id) AND (l.type = 'document'::text))
                UNION ALL
                 SELECT h.attempts,
                    NULL::integer,
                    (h.worker_id)::text AS worker_id,
                    h.failure_history,
                    h.finished_at
                   FROM public.job_history h
                  WHERE ((d.status = ANY (ARRAY['completed'::text, 'cancelled'::text])) AND (h.document_id = d.id) AND (h.type = 'document'::text) AND ((h.finished_at >= (d.completed_at - '01:00:00'::interval)) AND (h.finished_at <= (d.completed_at + '00:01:00'::interval))))
          ORDER BY 5 DESC
         LIMIT 1) p ON (true))
          WHERE (d.deleted_at IS NULL)) q;

CREATE TABLE public.document_types (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    phrases text[] DEFAULT '{}'::text[] NOT NULL,
    is_off boolean DEFAULT false NOT NULL,
    changed_by text,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT document_types_described CHECK (((length(description) >= 1) AND (length(description) <= 500))),
    CONSTRAINT document_types_named CHECK (((name = lower(name)) AND (name !~ '\s'::text) AND ((octet_length(name) >= 1) AND (octet_length(name) <= 100)))),
    CONSTRAINT document_types_ours_off CHECK (((description IS NOT NULL) OR is_off)),
    CONSTRAINT document_types_phrases_few CHECK ((cardinality(phrases) <= 20))
);

ALTER TABLE public.documents ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.documents_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.duties (
    duty text NOT NULL,
    began_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    seconds double precision DEFAULT 0 NOT NULL,
    said text,
    error text,
    failed_at timestamp with time zone,
    CONSTRAINT duties_failed_when CHECK (((error IS NULL) = (failed_at IS NULL)))
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='200', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE TABLE public.embedded_documents (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    model smallint NOT NULL,
    chunks integer NOT NULL
);

CREATE TABLE public.embedding_models (
    id smallint NOT NULL,
    name text NOT NULL,
    fingerprint text NOT NULL,
    dims integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_models_dims_sane CHECK (((dims >= 1) AND (dims <= 4000)))
);

ALTER TABLE public.embedding_models ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.embedding_models_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.entity_blocks (
    entity_id uuid NOT NULL,
    blocks bigint[] NOT NULL
);

CREATE TABLE public.entity_merges (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    one uuid NOT NULL,
    other uuid NOT NULL,
    reason text NOT NULL,
    score real,
    state text DEFAULT 'proposed'::text NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT entity_merges_decided_when CHECK (((state = 'proposed'::text) = (decided_at IS NULL))),
    CONSTRAINT entity_merges_in_order CHECK ((one < other)),
    CONSTRAINT entity_merges_score_share CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision))),
    CONSTRAINT entity_merges_state_known CHECK ((state = ANY (ARRAY['proposed'::text, 'confirmed'::text, 'rejected'::text])))
);

CREATE VIEW public.extracted_attachments AS
SELECT
    NULL::uuid AS attachment_id,
    NULL::uuid AS yacht_id,
    NULL::text AS entity_type,
    NULL::text AS entity_id,
    NULL::text AS file_name,
    NULL::text AS related_text,
    NULL::jsonb AS entities_extracted,
    NULL::timestamp with time zone AS extraction_completed_at;

CREATE TABLE public.tiers (
    tier smallint NOT NULL,
    name text NOT NULL,
    weight integer NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    objective_seconds integer DEFAULT 600 NOT NULL,
    CONSTRAINT tiers_objective_positive CHECK ((objective_seconds > 0)),
    CONSTRAINT tiers_weight_positive CHECK ((weight > 0))
);

CREATE VIEW public.extraction_jobs WITH (security_invoker='true') AS
 SELECT id,
    workspace_id AS yacht_id,
    type AS job_type,
    ( SELECT t.name
           FROM public.tiers t
          WHERE (t.tier = j.tier)) AS priority,
    entity_type,
    entity_id,
    (payload - 'metadata'::text) AS payload,
    status,
    attempts,
    created_at,
    started_at,
    completed_at,
    completed_by,
    ((failure_history -> '-1'::integer) ->> 'message'::text) AS error,
    (
        CASE jsonb_typeof((payload -> 'metadata'::text))
            WHEN 'object'::text THEN (payload -> 'metadata'::text)
            ELSE '{}'::jsonb
        END || jsonb_build_object('pool', pool, 'failure_history', public.failures_in_words(failure_history))) AS metadata
   FROM ( SELECT jobs.id,
            jobs.workspace_id,
            jobs.pool,
            jobs.tier,
            jobs.type,
            jobs.entity_type,
            jobs.entity_id,
            jobs.payload,
            jobs.failure_history,
            jobs.attempts,
            jobs.created_at,
            jobs.started_at,
            public.job_word(jobs.state, jobs.attempts, jobs.failure_history) AS status,
            NULL::timestamp with time zone AS completed_at,
            NULL::text AS completed_by
           FROM public.jobs
        UNION ALL
         SELECT job_history.id,
            job_history.workspace_id,
            job_history.pool,
            job_history.tier,
            job_history.type,
            job_history.entity_type,
            job_history.entity_id,
            NULL::jsonb,
            job_history.failure_history,
            job_history.attempts,
            job_history.arrived_at,
            job_history.started_at,
                CASE
                    WHEN (job_history.outcome = ANY (ARRAY['done'::text, 'degraded'::text])) THEN 'completed'::text
                    ELSE 'cancelled'::text
                END AS "case",
            job_history.finished_at,
            (job_history.worker_id)::text AS worker_id
           FROM public.job_history
        UNION ALL
         SELECT dead_letters.id,
            dead_letters.workspace_id,
            dead_letters.pool,
            dead_letters.tier,
            dead_letters.type,
            dead_letters.entity_type,
            dead_letters.entity_id,
            dead_letters.payload,
            dead_letters.failure_history,
            dead_letters.attempts,
            dead_letters.arrived_at,
            dead_letters.started_at,
            'failed'::text,
            dead_letters.died_at,
            ((dead_letters.failure_history -> '-1'::integer) ->> 'worker'::text)
           FROM public.dead_letters) j
  WHERE (public.extraction_pool(type) IS NOT NULL);

ALTER TABLE public.field_values ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.field_values_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.folders (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    key text GENERATED ALWAYS AS (lower(name)) STORED NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT folders_name_shown CHECK (((name = btrim(name)) AND ((char_length(name) >= 1) AND (char_length(name) <= 200))))
);

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

CREATE TABLE public.lanes (
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    workspace_id uuid NOT NULL,
    vtime double precision DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0.2', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE TABLE public.lexemes (
    workspace_id uuid NOT NULL,
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL,
    chunks_3 bigint NOT NULL,
    chunks_9 bigint NOT NULL
)
WITH (fillfactor='80');

CREATE TABLE public.memberships (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    CONSTRAINT memberships_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'editor'::text, 'admin'::text])))
);

ALTER TABLE public.mentions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.mentions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.pages (
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    number integer NOT NULL,
    text text NOT NULL,
    width real NOT NULL,
    height real NOT NULL,
    words bytea NOT NULL,
    source text DEFAULT 'text'::text NOT NULL,
    confidences bytea DEFAULT '\x'::bytea NOT NULL,
    blocks bytea DEFAULT '\x'::bytea NOT NULL,
    CONSTRAINT pages_blocks_whole CHECK (((octet_length(blocks) % 10) = 0)),
    CONSTRAINT pages_confidences_whole CHECK (((octet_length(confidences) = 0) OR ((octet_length(confidences) * 24) = octet_length(words)))),
    CONSTRAINT pages_counted_from_one CHECK ((number >= 1)),
    CONSTRAINT pages_source_known CHECK ((source = ANY (ARRAY['text'::text, 'scan'::text, 'ocr'::text]))),
    CONSTRAINT pages_words_whole CHECK (((octet_length(words) % 24) = 0))
);
ALTER TABLE ONLY public.pages ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.pool_breakers (
    pool text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'closed'::text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    successes integer DEFAULT 0 NOT NULL,
    window_began timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    trips integer DEFAULT 0 NOT NULL,
    category text,
    message text,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    open_until timestamp with time zone,
    CONSTRAINT pool_breakers_open_until CHECK (((state = 'open'::text) = (open_until IS NOT NULL))),
    CONSTRAINT pool_breakers_state_known CHECK ((state = ANY (ARRAY['closed'::text, 'open'::text, 'half_open'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='200', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE TABLE public.pool_tiers (
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    vtime double precision DEFAULT 0 NOT NULL,
    vclock double precision DEFAULT 0 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='200', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

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
WITH (fillfactor='50', autovacuum_vacuum_threshold='200', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE VIEW public.queue_health_status WITH (security_invoker='true') AS
 SELECT status,
    count(*) AS count,
    avg(retry_count) AS avg_retries,
    max(retry_count) AS max_retries,
    min(created_at) AS oldest_document,
    max(updated_at) AS latest_update,
    count(*) FILTER (WHERE (final_status = 'permanently_failed'::text)) AS permanently_failed_count
   FROM public.document_processing_queue
  GROUP BY status;

CREATE TABLE public.queue_samples (
    taken_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    facts jsonb NOT NULL,
    CONSTRAINT queue_samples_facts_named CHECK ((jsonb_typeof(facts) = 'object'::text))
);

CREATE TABLE public.relations (
    id bigint NOT NULL,
    document_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    type text NOT NULL,
    from_entity uuid NOT NULL,
    to_entity uuid,
    to_document uuid,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    confidence real NOT NULL,
    state text DEFAULT 'unconfirmed'::text NOT NULL,
    decided_by text,
    decided_at timestamp with time zone,
    CONSTRAINT relations_confidence_share CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT relations_decided_when CHECK (((state = 'unconfirmed'::text) = (decided_at IS NULL))),
    CONSTRAINT relations_one_end CHECK ((num_nonnulls(to_entity, to_document) = 1)),
    CONSTRAINT relations_place_sane CHECK (((page >= 1) AND (start_offset >= 0) AND (end_offset >= start_offset))),
    CONSTRAINT relations_state_known CHECK ((state = ANY (ARRAY['unconfirmed'::text, 'confirmed'::text, 'rejected'::text]))),
    CONSTRAINT relations_type_named CHECK ((type ~ '^[a-z][a-z_]{0,59}$'::text))
);

ALTER TABLE public.relations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.relations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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

CREATE TABLE public.retry_budgets (
    workspace_id uuid NOT NULL,
    most integer DEFAULT 1000 NOT NULL,
    period interval DEFAULT '01:00:00'::interval NOT NULL,
    period_began timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    spent integer DEFAULT 0 NOT NULL,
    CONSTRAINT retry_budgets_kept CHECK (((spent >= 0) AND (spent <= most))),
    CONSTRAINT retry_budgets_positive CHECK (((most > 0) AND (period > '00:00:00'::interval)))
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='200', autovacuum_vacuum_scale_factor='0.2', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

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

CREATE TABLE public.workspaces (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    seq bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT workspaces_name_shown CHECK (((name = btrim(name)) AND ((length(name) >= 1) AND (length(name) <= 200))))
);

CREATE VIEW public.source_documents WITH (security_invoker='true') AS
 SELECT seq AS id,
    id AS document_uuid,
    ( SELECT w.seq
           FROM public.workspaces w
          WHERE (w.id = d.workspace_id)) AS project_fk_id,
    workspace_id AS project_uuid,
    original_path AS original_file_path,
    name AS original_file_name,
    media_type AS detected_file_type,
    "substring"(original_path, '^s3://[^/]+/(.+)$'::text) AS s3_key,
        CASE
            WHEN (status = ANY (ARRAY['completed'::text, 'cancelled'::text])) THEN status
            WHEN ((status = 'failed'::text) AND (reason_category = 'outside'::text) AND (processor_metadata ? 'status'::text)) THEN (processor_metadata ->> 'status'::text)
            WHEN ((stage IS DISTINCT FROM 'ocr'::text) AND (EXISTS ( SELECT
               FROM public.stage_results r
              WHERE ((r.document_id = d.id) AND (r.stage = 'extract'::text))))) THEN
            CASE status
                WHEN 'failed'::text THEN ('error_'::text || COALESCE(reason_category, 'unknown'::text))
                ELSE 'ocr_complete_pending_doc_node'::text
            END
            WHEN (status = 'failed'::text) THEN 'error_ocr_failed'::text
            WHEN (status = 'processing'::text) THEN 'pre_ocr_processing'::text
            WHEN ((attempt_started_at IS NULL) AND (source <> 'bucket'::text) AND (starts_with(COALESCE(original_path, ''::text), 's3://'::text) IS FALSE)) THEN 'pending_intake'::text
            ELSE 'pre_ocr_pending'::text
        END AS initial_processing_status,
    reason AS error_message,
    reason_category AS error_category,
    size AS file_size,
    sha256,
    title,
    summary,
    document_date,
    language,
    public.all_tags(tags, found_tags) AS tags,
    created_at,
    updated_at
   FROM public.documents d
  WHERE (deleted_at IS NULL);

CREATE VIEW public.stuck_documents WITH (security_invoker='true') AS
 SELECT id,
    source_document_id,
    source_document_uuid,
    status,
    final_status,
    retry_count,
    error_message,
    created_at,
    updated_at,
    (EXTRACT(epoch FROM (now() - updated_at)) / (3600)::numeric) AS hours_since_update
   FROM public.document_processing_queue
  WHERE ((status = ANY (ARRAY['processing'::text, 'failed'::text])) AND (updated_at < (now() - '01:00:00'::interval)))
  ORDER BY updated_at;

CREATE TABLE public.tag_embeddings (
    tag_id bigint NOT NULL,
    model smallint NOT NULL,
    workspace_id uuid NOT NULL,
    vector public.halfvec NOT NULL
);

CREATE TABLE public.tags (
    id bigint NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    key text GENERATED ALWAYS AS (public.tag_key(name)) STORED NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    looked_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tags_name_shown CHECK (((name <> ''::text) AND (name = public.tag_name(name))))
);

ALTER TABLE public.tags ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tags_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.tallies (
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    event text NOT NULL,
    category text DEFAULT ''::text NOT NULL,
    jobs integer NOT NULL,
    fresh integer DEFAULT 0 NOT NULL,
    wait_seconds double precision DEFAULT 0 NOT NULL,
    late integer DEFAULT 0 NOT NULL,
    CONSTRAINT tallies_event_known CHECK ((event = ANY (ARRAY['claimed'::text, 'done'::text, 'degraded'::text, 'cancelled'::text, 'retried'::text, 'snoozed'::text, 'waited'::text, 'dead'::text, 'refused'::text])))
)
WITH (autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE TABLE public.tally_totals (
    pool text NOT NULL COLLATE pg_catalog."C",
    tier smallint NOT NULL,
    event text NOT NULL,
    category text NOT NULL,
    jobs bigint NOT NULL,
    fresh bigint NOT NULL,
    wait_seconds double precision NOT NULL,
    late bigint NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE TABLE public.text_changes (
    id bigint NOT NULL,
    workspace_id uuid NOT NULL,
    config regconfig NOT NULL,
    chunks bigint NOT NULL,
    characters bigint NOT NULL,
    lexemes text[] NOT NULL,
    counts bigint[] NOT NULL,
    counts_3 bigint[] NOT NULL,
    counts_9 bigint[] NOT NULL,
    CONSTRAINT text_changes_even CHECK (((cardinality(lexemes) = cardinality(counts)) AND (cardinality(counts_3) = cardinality(counts)) AND (cardinality(counts_9) = cardinality(counts))))
)
WITH (autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0');

ALTER TABLE public.text_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.text_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.text_totals (
    workspace_id uuid NOT NULL,
    config regconfig NOT NULL,
    chunks bigint NOT NULL,
    characters bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    operator boolean DEFAULT false NOT NULL,
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
WITH (fillfactor='50', autovacuum_vacuum_threshold='500', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0', vacuum_truncate='false');

CREATE TABLE public.workspace_limits (
    workspace_id uuid NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    max_running integer,
    CONSTRAINT workspace_limits_cap_positive CHECK ((max_running > 0))
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

ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_pkey PRIMARY KEY (document_id, member);

ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (workspace_id, sha256);

ALTER TABLE ONLY public.chunk_embeddings
    ADD CONSTRAINT chunk_embeddings_pkey PRIMARY KEY (chunk_id, model);

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_document_id_ordinal_key UNIQUE (document_id, ordinal);

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.common_blocks
    ADD CONSTRAINT common_blocks_pkey PRIMARY KEY (block);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_name_once UNIQUE (workspace_id, name);

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.document_types
    ADD CONSTRAINT document_types_pkey PRIMARY KEY (workspace_id, name);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_in_workspace UNIQUE (id, workspace_id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_seq_key UNIQUE (seq);

ALTER TABLE ONLY public.duties
    ADD CONSTRAINT duties_pkey PRIMARY KEY (duty);

ALTER TABLE ONLY public.embedded_documents
    ADD CONSTRAINT embedded_documents_pkey PRIMARY KEY (document_id);

ALTER TABLE ONLY public.embedding_models
    ADD CONSTRAINT embedding_models_fingerprint_key UNIQUE (fingerprint);

ALTER TABLE ONLY public.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.entities
    ADD CONSTRAINT entities_in_workspace UNIQUE (id, workspace_id);

ALTER TABLE ONLY public.entities
    ADD CONSTRAINT entities_key_once UNIQUE (workspace_id, kind, key);

ALTER TABLE ONLY public.entities
    ADD CONSTRAINT entities_of_kind UNIQUE (id, workspace_id, kind);

ALTER TABLE ONLY public.entities
    ADD CONSTRAINT entities_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.entity_blocks
    ADD CONSTRAINT entity_blocks_pkey PRIMARY KEY (entity_id);

ALTER TABLE ONLY public.entity_merges
    ADD CONSTRAINT entity_merges_pkey PRIMARY KEY (one, other);

ALTER TABLE ONLY public.field_values
    ADD CONSTRAINT field_values_corrected_once UNIQUE (corrects);

ALTER TABLE ONLY public.field_values
    ADD CONSTRAINT field_values_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_in_workspace UNIQUE (id, workspace_id);

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_name_once UNIQUE (workspace_id, key);

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (pool, tier, workspace_id);

ALTER TABLE ONLY public.lexemes
    ADD CONSTRAINT lexemes_pkey PRIMARY KEY (workspace_id, lexeme);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (user_id, workspace_id);

ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT mentions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT mentions_place_once UNIQUE (document_id, page, start_offset, end_offset, kind);

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (document_id, number);

ALTER TABLE ONLY public.pool_breakers
    ADD CONSTRAINT pool_breakers_pkey PRIMARY KEY (pool);

ALTER TABLE ONLY public.pool_tiers
    ADD CONSTRAINT pool_tiers_pkey PRIMARY KEY (pool, tier);

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_pkey PRIMARY KEY (pool);

ALTER TABLE ONLY public.queue_samples
    ADD CONSTRAINT queue_samples_pkey PRIMARY KEY (taken_at);

ALTER TABLE ONLY public.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.relations
    ADD CONSTRAINT relations_said_once UNIQUE NULLS NOT DISTINCT (document_id, type, from_entity, to_entity, to_document, page, start_offset, end_offset);

ALTER TABLE ONLY public.renditions
    ADD CONSTRAINT renditions_pkey PRIMARY KEY (document_id, kind, page);

ALTER TABLE ONLY public.retry_budgets
    ADD CONSTRAINT retry_budgets_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.stage_results
    ADD CONSTRAINT stage_results_pkey PRIMARY KEY (document_id, stage, version);

ALTER TABLE ONLY public.tag_embeddings
    ADD CONSTRAINT tag_embeddings_pkey PRIMARY KEY (tag_id, model);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_in_workspace UNIQUE (id, workspace_id);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_key_once UNIQUE (workspace_id, key);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tally_totals
    ADD CONSTRAINT tally_totals_pkey PRIMARY KEY (pool, tier, event, category);

ALTER TABLE ONLY public.text_changes
    ADD CONSTRAINT text_changes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.text_totals
    ADD CONSTRAINT text_totals_pkey PRIMARY KEY (workspace_id, config);

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

CREATE INDEX attachments_by_child ON public.attachments USING btree (child_id) WHERE (child_id IS NOT NULL);

CREATE INDEX attachments_by_root ON public.attachments USING btree (root_id);

CREATE INDEX breaker_marks_by_pool ON public.breaker_marks USING btree (pool);

CREATE INDEX chunk_embeddings_by_document ON public.chunk_embeddings USING btree (document_id);

CREATE INDEX chunk_embeddings_by_workspace ON public.chunk_embeddings USING btree (workspace_id, model);

CREATE INDEX chunks_terms ON public.chunks USING gin (public.scoped_terms(workspace_id, terms));

CREATE INDEX common_blocks_of ON public.common_blocks USING btree (workspace_id);

CREATE UNIQUE INDEX connections_classifying ON public.connections USING btree (workspace_id) WHERE classifies;

CREATE INDEX dead_letters_by_cause ON public.dead_letters USING btree (fingerprint);

CREATE INDEX dead_letters_by_document ON public.dead_letters USING btree (document_id);

CREATE INDEX dead_letters_by_entity ON public.dead_letters USING btree (entity_id, entity_type) WHERE (entity_id IS NOT NULL);

CREATE INDEX dead_letters_newest ON public.dead_letters USING btree (workspace_id, died_at DESC);

CREATE INDEX documents_by_date ON public.documents USING btree (workspace_id, document_date) WHERE (document_date IS NOT NULL);

CREATE INDEX documents_by_entity ON public.documents USING btree (workspace_id, entity_type, entity_id) WHERE (entity_type IS NOT NULL);

CREATE INDEX documents_by_folder ON public.documents USING btree (folder_id, seq DESC) WHERE (folder_id IS NOT NULL);

CREATE INDEX documents_by_tag ON public.documents USING gin (public.scoped_tags(workspace_id, tags, found_tags));

CREATE INDEX documents_by_type ON public.documents USING btree (workspace_id, lower(type)) WHERE (type IS NOT NULL);

CREATE UNIQUE INDEX documents_content_once ON public.documents USING btree (workspace_id, content_key) WHERE (deleted_at IS NULL);

CREATE INDEX documents_deleted ON public.documents USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (page_count IS NOT NULL));

CREATE INDEX documents_ended ON public.documents USING btree (completed_at) WHERE (completed_at IS NOT NULL);

CREATE INDEX documents_heading ON public.documents USING gin (public.scoped_terms(workspace_id, public.heading_terms(name, title, language))) WHERE (deleted_at IS NULL);

CREATE INDEX documents_live ON public.documents USING btree (created_at) WHERE ((completed_at IS NULL) AND (deleted_at IS NULL));

CREATE INDEX documents_newest ON public.documents USING btree (workspace_id, seq DESC) WHERE (deleted_at IS NULL);

CREATE INDEX entities_listed ON public.entities USING btree (workspace_id, key COLLATE "C", id) WHERE (merged_into IS NULL);

CREATE INDEX entities_merged ON public.entities USING btree (merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX entities_to_compare ON public.entities USING btree (id) WHERE ((compared_at IS NULL) AND (kind = ANY (ARRAY['person'::text, 'organisation'::text, 'place'::text, 'court'::text, 'equipment'::text, 'part'::text])));

CREATE INDEX entities_words ON public.entities USING gin (public.scoped_terms(workspace_id, to_tsvector('simple'::regconfig, key)));

CREATE INDEX entity_blocks_members ON public.entity_blocks USING gin (blocks) WITH (fastupdate=off);

CREATE INDEX entity_merges_by_other ON public.entity_merges USING btree (other);

CREATE INDEX entity_merges_open ON public.entity_merges USING btree (workspace_id, score DESC) WHERE (state = 'proposed'::text);

CREATE INDEX field_values_by_day ON public.field_values USING btree (workspace_id, name, day) WHERE (day IS NOT NULL);

CREATE INDEX field_values_by_document ON public.field_values USING btree (document_id, name);

CREATE INDEX field_values_by_number ON public.field_values USING btree (workspace_id, name, number);

CREATE INDEX job_history_by_document ON ONLY public.job_history USING btree (document_id) WHERE (document_id IS NOT NULL);

CREATE INDEX job_history_by_entity ON ONLY public.job_history USING btree (entity_id, entity_type) WHERE (entity_id IS NOT NULL);

CREATE INDEX job_history_by_id ON ONLY public.job_history USING btree (id);

CREATE INDEX job_history_default_document_id_idx ON public.job_history_default USING btree (document_id) WHERE (document_id IS NOT NULL);

CREATE INDEX job_history_default_entity_id_entity_type_idx ON public.job_history_default USING btree (entity_id, entity_type) WHERE (entity_id IS NOT NULL);

CREATE INDEX job_history_default_id_idx ON public.job_history_default USING btree (id);

CREATE INDEX jobs_by_document ON public.jobs USING btree (document_id) WHERE (document_id IS NOT NULL);

CREATE INDEX jobs_by_entity ON public.jobs USING btree (entity_id, entity_type) WHERE (entity_id IS NOT NULL);

CREATE INDEX jobs_by_parent ON public.jobs USING btree (parent_id) WHERE (parent_id IS NOT NULL);

CREATE UNIQUE INDEX jobs_dedupe ON public.jobs USING btree (workspace_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);

CREATE INDEX jobs_pending ON public.jobs USING btree (pool, tier, workspace_id, priority, arrived_at, id) WHERE (state = 'pending'::text);

CREATE INDEX jobs_running ON public.jobs USING btree (pool, workspace_id, worker_id) WHERE (state = 'running'::text);

CREATE INDEX jobs_scheduled ON public.jobs USING btree (run_at) WHERE (state = 'scheduled'::text);

CREATE INDEX jobs_waiting ON public.jobs USING btree (run_at) WHERE (state = 'waiting'::text);

CREATE INDEX lanes_next ON public.lanes USING btree (pool, tier, vtime, workspace_id) WHERE active;

CREATE INDEX mentions_by_entity ON public.mentions USING btree (entity_id, id DESC) WHERE (entity_id IS NOT NULL);

CREATE INDEX relations_document ON public.relations USING btree (to_document) WHERE (to_document IS NOT NULL);

CREATE INDEX relations_from ON public.relations USING btree (from_entity);

CREATE INDEX relations_to ON public.relations USING btree (to_entity) WHERE (to_entity IS NOT NULL);

CREATE INDEX tag_embeddings_by_workspace ON public.tag_embeddings USING btree (workspace_id, model);

CREATE INDEX tags_to_look_at ON public.tags USING btree (looked_at, id);

ALTER INDEX public.job_history_by_document ATTACH PARTITION public.job_history_default_document_id_idx;

ALTER INDEX public.job_history_by_entity ATTACH PARTITION public.job_history_default_entity_id_entity_type_idx;

ALTER INDEX public.job_history_by_id ATTACH PARTITION public.job_history_default_id_idx;

CREATE OR REPLACE VIEW public.extracted_attachments WITH (security_invoker='true') AS
 SELECT id AS attachment_id,
    workspace_id AS yacht_id,
    entity_type,
    entity_id,
    name AS file_name,
    ( SELECT string_agg(p.text, '
'::text ORDER BY p.number) AS string_agg
           FROM public.pages p
          WHERE (p.document_id = d.id)) AS related_text,
    ( SELECT COALESCE(jsonb_agg(jsonb_build_object('id', x.id, 'kind', x.kind, 'name', x.name, 'mentions', x.mentions) ORDER BY x.kind, x.name, x.id), '[]'::jsonb) AS "coalesce"
           FROM ( SELECT e.id,
                    e.kind,
                    e.name,
                    count(*) AS mentions
                   FROM (public.mentions m
                     JOIN public.entities e ON ((e.id = m.entity_id)))
                  WHERE ((m.document_id = d.id) AND (m.state <> 'rejected'::text))
                  GROUP BY e.id) x) AS entities_extracted,
    ( SELECT max(r.finished_at) AS max
           FROM public.stage_results r
          WHERE ((r.document_id = d.id) AND (r.stage = 'canonicalise'::text) AND (r.outcome = 'done'::text))) AS extraction_completed_at
   FROM public.documents d
  WHERE ((entity_type IS NOT NULL) AND (deleted_at IS NULL));

CREATE TRIGGER change_extraction_job INSTEAD OF UPDATE ON public.extraction_jobs FOR EACH ROW EXECUTE FUNCTION public.change_extraction_job();

CREATE TRIGGER change_queue_entry INSTEAD OF UPDATE ON public.document_processing_queue FOR EACH ROW EXECUTE FUNCTION public.change_queue_entry();

CREATE TRIGGER change_source_document INSTEAD OF UPDATE ON public.source_documents FOR EACH ROW EXECUTE FUNCTION public.change_source_document();

CREATE TRIGGER documents_change_tags AFTER UPDATE OF tags, found_tags ON public.documents FOR EACH ROW WHEN (((old.tags IS DISTINCT FROM new.tags) OR (old.found_tags IS DISTINCT FROM new.found_tags))) EXECUTE FUNCTION public.keep_changed_tags();

CREATE TRIGGER documents_enqueue AFTER INSERT ON public.documents REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION public.enqueue_arrived_documents();

CREATE TRIGGER documents_keep_tags AFTER INSERT ON public.documents REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION public.keep_arrived_tags();

CREATE TRIGGER receive_extraction_job INSTEAD OF INSERT ON public.extraction_jobs FOR EACH ROW EXECUTE FUNCTION public.receive_extraction_job();

CREATE TRIGGER receive_source_document INSTEAD OF INSERT ON public.source_documents FOR EACH ROW EXECUTE FUNCTION public.receive_source_document();

ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_child_beside FOREIGN KEY (child_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE SET NULL (child_id);

ALTER TABLE ONLY public.attachments
    ADD CONSTRAINT attachments_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.breaker_marks
    ADD CONSTRAINT breaker_marks_pool_fkey FOREIGN KEY (pool) REFERENCES public.pools(pool) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunk_embeddings
    ADD CONSTRAINT chunk_embeddings_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES public.chunks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunk_embeddings
    ADD CONSTRAINT chunk_embeddings_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunk_embeddings
    ADD CONSTRAINT chunk_embeddings_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.common_blocks
    ADD CONSTRAINT common_blocks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_types
    ADD CONSTRAINT document_types_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_folder_beside FOREIGN KEY (folder_id, workspace_id) REFERENCES public.folders(id, workspace_id) ON DELETE SET NULL (folder_id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_parent_beside FOREIGN KEY (parent_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.embedded_documents
    ADD CONSTRAINT embedded_documents_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.embedded_documents
    ADD CONSTRAINT embedded_documents_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.entities
    ADD CONSTRAINT entities_merged_beside FOREIGN KEY (merged_into, workspace_id, kind) REFERENCES public.entities(id, workspace_id, kind);

ALTER TABLE ONLY public.entities
    ADD CONSTRAINT entities_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.entity_blocks
    ADD CONSTRAINT entity_blocks_entity_id_fkey FOREIGN KEY (entity_id) REFERENCES public.entities(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.entity_merges
    ADD CONSTRAINT entity_merges_one FOREIGN KEY (one, workspace_id, kind) REFERENCES public.entities(id, workspace_id, kind) ON DELETE CASCADE;

ALTER TABLE ONLY public.entity_merges
    ADD CONSTRAINT entity_merges_other FOREIGN KEY (other, workspace_id, kind) REFERENCES public.entities(id, workspace_id, kind) ON DELETE CASCADE;

ALTER TABLE ONLY public.field_values
    ADD CONSTRAINT field_values_correct_field FOREIGN KEY (corrects) REFERENCES public.field_values(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.field_values
    ADD CONSTRAINT field_values_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.folders
    ADD CONSTRAINT folders_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

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

ALTER TABLE ONLY public.lexemes
    ADD CONSTRAINT lexemes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT mentions_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT mentions_of_entity FOREIGN KEY (entity_id, workspace_id, kind) REFERENCES public.entities(id, workspace_id, kind);

ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pool_breakers
    ADD CONSTRAINT pool_breakers_pool_fkey FOREIGN KEY (pool) REFERENCES public.pools(pool) ON DELETE CASCADE;

ALTER TABLE ONLY public.pool_tiers
    ADD CONSTRAINT pool_tiers_pool_fkey FOREIGN KEY (pool) REFERENCES public.pools(pool) ON DELETE CASCADE;

ALTER TABLE ONLY public.pool_tiers
    ADD CONSTRAINT pool_tiers_tier_fkey FOREIGN KEY (tier) REFERENCES public.tiers(tier);

ALTER TABLE ONLY public.relations
    ADD CONSTRAINT relations_from_entity FOREIGN KEY (from_entity, workspace_id) REFERENCES public.entities(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.relations
    ADD CONSTRAINT relations_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.relations
    ADD CONSTRAINT relations_to_document FOREIGN KEY (to_document, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.relations
    ADD CONSTRAINT relations_to_entity FOREIGN KEY (to_entity, workspace_id) REFERENCES public.entities(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.renditions
    ADD CONSTRAINT renditions_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.retry_budgets
    ADD CONSTRAINT retry_budgets_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_workspace_id_fkey FOREIGN KEY (user_id, workspace_id) REFERENCES public.memberships(user_id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stage_results
    ADD CONSTRAINT stage_results_of_document FOREIGN KEY (document_id, workspace_id) REFERENCES public.documents(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tag_embeddings
    ADD CONSTRAINT tag_embeddings_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tag_embeddings
    ADD CONSTRAINT tag_embeddings_of_tag FOREIGN KEY (tag_id, workspace_id) REFERENCES public.tags(id, workspace_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.text_changes
    ADD CONSTRAINT text_changes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.text_totals
    ADD CONSTRAINT text_totals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workspace_limits
    ADD CONSTRAINT workspace_limits_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

CREATE POLICY all_workspaces ON public.breaker_marks TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.dead_letters TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.documents TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.duties TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.job_history TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.jobs TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.pool_breakers TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.queue_samples TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.retry_budgets TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.tallies TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.tally_totals TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.workspace_limits TO docyard_operator USING (true) WITH CHECK (true);

CREATE POLICY all_workspaces ON public.workspaces TO docyard_operator USING (true) WITH CHECK (true);

ALTER TABLE public.attachments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.blobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.breaker_marks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.chunk_embeddings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.common_blocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dead_letters ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.document_types ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.duties ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.embedded_documents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.entity_blocks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.entity_merges ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.field_values ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.folders ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job_history_default ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.lanes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.lexemes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mentions ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_workspace ON public.attachments TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.blobs TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.chunk_embeddings TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.chunks TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.connections TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.dead_letters TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.document_types TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.documents TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.embedded_documents TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.entities TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.entity_merges TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.field_values TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.folders TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.job_history TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.jobs TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.memberships TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.mentions TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.pages TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.relations TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.renditions TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.stage_results TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.tag_embeddings TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.tags TO docyard_web USING ((workspace_id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((workspace_id = ( SELECT public.current_workspace() AS current_workspace)));

CREATE POLICY own_workspace ON public.workspaces TO docyard_web USING ((id = ( SELECT public.current_workspace() AS current_workspace))) WITH CHECK ((id = ( SELECT public.current_workspace() AS current_workspace)));

ALTER TABLE public.pages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pool_breakers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.queue_samples ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.renditions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.retry_budgets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_in_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stage_results ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tag_embeddings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tags ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tallies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tally_totals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.text_changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.text_totals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workspace_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workspaces ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO docyard_web;
GRANT USAGE ON SCHEMA public TO docyard_operator;

REVOKE ALL ON FUNCTION public.add_connection(named text, of_provider text, of_model text, at_url text, with_key bytea, by_user uuid, running integer, rate double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_connection(named text, of_provider text, of_model text, at_url text, with_key bytea, by_user uuid, running integer, rate double precision) TO docyard_web;

REVOKE ALL ON FUNCTION public.breaker_allowance(of_pool text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.change_extraction_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.change_queue_entry() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.change_source_document() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.claim_jobs(of_pool text, by_worker uuid, most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.count_tagged(of_key text, up_to bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_tagged(of_key text, up_to bigint) TO docyard_web;

REVOKE ALL ON FUNCTION public.documents_with_facts(most integer, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.documents_with_facts(most integer, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) TO docyard_web;

REVOKE ALL ON FUNCTION public.end_document(wanted uuid, ended_as text, word text, said text, processor text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.end_document(wanted uuid, ended_as text, word text, said text, processor text) TO docyard_web;

REVOKE ALL ON FUNCTION public.end_session(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.end_session(session_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.extraction_pool(job_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.extraction_pool(job_type text) TO docyard_web;

GRANT SELECT,INSERT,UPDATE ON TABLE public.documents TO docyard_web;

GRANT SELECT(id) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(workspace_id) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(name) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(status),UPDATE(status) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(stage) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(reason),UPDATE(reason) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(reason_category),UPDATE(reason_category) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(running_seconds),UPDATE(running_seconds) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(created_at) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(completed_at),UPDATE(completed_at) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(deleted_at) ON TABLE public.documents TO docyard_operator;

GRANT SELECT(failures),UPDATE(failures) ON TABLE public.documents TO docyard_operator;

GRANT SELECT,DELETE ON TABLE public.field_values TO docyard_web;

GRANT INSERT(document_id) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(workspace_id) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(name) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(ordinal) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(value),UPDATE(value) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(normal),UPDATE(normal) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(number),UPDATE(number) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(day),UPDATE(day) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(confidence) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(source) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(page),UPDATE(page) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(start_offset),UPDATE(start_offset) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(end_offset),UPDATE(end_offset) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(state),UPDATE(state) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(decided_by),UPDATE(decided_by) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(decided_at),UPDATE(decided_at) ON TABLE public.field_values TO docyard_web;

GRANT INSERT(corrects) ON TABLE public.field_values TO docyard_web;

GRANT SELECT,DELETE ON TABLE public.mentions TO docyard_web;

GRANT UPDATE(state) ON TABLE public.mentions TO docyard_web;

GRANT UPDATE(decided_by) ON TABLE public.mentions TO docyard_web;

GRANT UPDATE(decided_at) ON TABLE public.mentions TO docyard_web;

REVOKE ALL ON FUNCTION public.fact_holds(d public.documents, fact jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.failure_is_final(category text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.failure_is_final(category text) TO docyard_web;

REVOKE ALL ON FUNCTION public.failures_in_words(failures jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.failures_in_words(failures jsonb) TO docyard_web;

GRANT SELECT,DELETE ON TABLE public.entities TO docyard_web;

GRANT UPDATE(name) ON TABLE public.entities TO docyard_web;

GRANT UPDATE(merged_into) ON TABLE public.entities TO docyard_web;

GRANT UPDATE(compared_at) ON TABLE public.entities TO docyard_web;

REVOKE ALL ON FUNCTION public.family_name(root uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.family_name(root uuid) TO docyard_web;

REVOKE ALL ON FUNCTION public.find_entities(words text[], only_kinds text[], after_key text, after_id uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_entities(words text[], only_kinds text[], after_key text, after_id uuid, most integer) TO docyard_web;

REVOKE ALL ON FUNCTION public.fold_text_changes(most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.forget_unused_tags(most integer, rested interval, OUT seen bigint, OUT gone bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.get_or_create_project(project_name text, OUT project_fk_id bigint, OUT project_uuid uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.hold_tags(of_workspace uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.is_better_name(one text, other text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_better_name(one text, other text) TO docyard_web;

REVOKE ALL ON FUNCTION public.wanted_facts() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.job_word(state text, attempts integer, failures jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.job_word(state text, attempts integer, failures jsonb) TO docyard_web;

REVOKE ALL ON FUNCTION public.keep_arrived_tags() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_changed_tags() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.known_words(words text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.known_words(words text[]) TO docyard_web;

REVOKE ALL ON FUNCTION public.lock_document(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.lock_document(wanted uuid) TO docyard_web;

REVOKE ALL ON FUNCTION public.nearest_chunks(of_model smallint, wanted text, most integer, exact_up_to bigint, besides uuid, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.nearest_chunks(of_model smallint, wanted text, most integer, exact_up_to bigint, besides uuid, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) TO docyard_web;

REVOKE ALL ON FUNCTION public.nearest_tags(of_model smallint, wanted text, most integer, exact_up_to bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.nearest_tags(of_model smallint, wanted text, most integer, exact_up_to bigint) TO docyard_web;

REVOKE ALL ON FUNCTION public.note_reset(noted public.documents, previous_status text, last_processor text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_reset(noted public.documents, previous_status text, last_processor text) TO docyard_web;

REVOKE ALL ON FUNCTION public.note_text_change(of_workspace uuid, configs regconfig[], texts text[], sign integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.pool_allowance(of_pool text, asked integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.prepare_embeddings() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.query_lexemes(words text[], prefixes text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.query_lexemes(words text[], prefixes text[]) TO docyard_web;

REVOKE ALL ON FUNCTION public.rank_chunks(probes text[], depths integer[], configs regconfig[], queries text[], prefixes boolean[], words integer[], telling boolean[], weights double precision[], mean_length double precision, required text, excluded text, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rank_chunks(probes text[], depths integer[], configs regconfig[], queries text[], prefixes boolean[], words integer[], telling boolean[], weights double precision[], mean_length double precision, required text, excluded text, only_types text[], only_tags text[], only_languages text[], first_day date, last_day date) TO docyard_web;

REVOKE ALL ON FUNCTION public.receive_extraction_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.receive_source_document() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.redeem_sign_in_link(link_hash bytea, session_hash bytea, csrf text, lasting interval) TO docyard_web;

REVOKE ALL ON FUNCTION public.remove_connection(of_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remove_connection(of_id uuid) TO docyard_web;

REVOKE ALL ON FUNCTION public.requeue_document(wanted uuid, said text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.requeue_document(wanted uuid, said text) TO docyard_web;

REVOKE ALL ON FUNCTION public.requeue_ended(d public.documents) FROM PUBLIC;
GRANT ALL ON FUNCTION public.requeue_ended(d public.documents) TO docyard_web;

REVOKE ALL ON FUNCTION public.reset_failed_documents_for_retry(cool_down interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.road_stages() FROM PUBLIC;
GRANT ALL ON FUNCTION public.road_stages() TO docyard_web;

REVOKE ALL ON FUNCTION public.session_identity(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.session_identity(session_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.session_workspaces(session_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.session_workspaces(session_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.set_queue_status(wanted uuid, word text, said text, processor text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.set_queue_status(wanted uuid, word text, said text, processor text) TO docyard_web;

REVOKE ALL ON FUNCTION public.shown_name(text text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.shown_name(text text) TO docyard_web;

REVOKE ALL ON FUNCTION public.sign_in_link_is_good(link_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.sign_in_link_is_good(link_hash bytea) TO docyard_web;

REVOKE ALL ON FUNCTION public.sweep_lanes(of_pool text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.switch_session(session_hash bytea, to_workspace uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.switch_session(session_hash bytea, to_workspace uuid) TO docyard_web;

REVOKE ALL ON FUNCTION public.telling_words(of_document uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.telling_words(of_document uuid, most integer) TO docyard_web;

REVOKE ALL ON FUNCTION public.text_size() FROM PUBLIC;
GRANT ALL ON FUNCTION public.text_size() TO docyard_web;

REVOKE ALL ON FUNCTION public.update_queue_status_with_history(queue_id bigint, new_status text, error_message text, processor_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.workspace_room(of_pool text, of_workspace uuid) FROM PUBLIC;

GRANT SELECT ON TABLE public.attachments TO docyard_web;

GRANT SELECT,INSERT ON TABLE public.blobs TO docyard_web;

GRANT DELETE ON TABLE public.breaker_marks TO docyard_operator;

GRANT SELECT(pool) ON TABLE public.breaker_marks TO docyard_operator;

GRANT SELECT ON TABLE public.chunk_embeddings TO docyard_web;

GRANT SELECT ON TABLE public.chunks TO docyard_web;

GRANT SELECT(id) ON TABLE public.connections TO docyard_web;

GRANT SELECT(workspace_id) ON TABLE public.connections TO docyard_web;

GRANT SELECT(name) ON TABLE public.connections TO docyard_web;

GRANT SELECT(provider) ON TABLE public.connections TO docyard_web;

GRANT SELECT(model) ON TABLE public.connections TO docyard_web;

GRANT SELECT(base_url) ON TABLE public.connections TO docyard_web;

GRANT SELECT(classifies),UPDATE(classifies) ON TABLE public.connections TO docyard_web;

GRANT SELECT(created_by) ON TABLE public.connections TO docyard_web;

GRANT SELECT(created_at) ON TABLE public.connections TO docyard_web;

GRANT SELECT(tried_at) ON TABLE public.connections TO docyard_web;

GRANT SELECT(tried_seconds) ON TABLE public.connections TO docyard_web;

GRANT SELECT(trouble) ON TABLE public.connections TO docyard_web;

GRANT SELECT,INSERT,DELETE ON TABLE public.dead_letters TO docyard_web;
GRANT SELECT,DELETE ON TABLE public.dead_letters TO docyard_operator;

GRANT UPDATE(replays) ON TABLE public.dead_letters TO docyard_web;
GRANT UPDATE(replays) ON TABLE public.dead_letters TO docyard_operator;

GRANT SELECT,INSERT ON TABLE public.job_history TO docyard_web;
GRANT INSERT ON TABLE public.job_history TO docyard_operator;

GRANT SELECT(id) ON TABLE public.job_history TO docyard_operator;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.jobs TO docyard_web;
GRANT INSERT ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(id) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(workspace_id) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(pool) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(tier) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(priority) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(type) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(stage) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(document_id) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(state) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(run_at) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(attempts) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(max_attempts) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(fence) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(worker_id) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(started_at) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(arrived_at) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT(created_at) ON TABLE public.jobs TO docyard_operator;

GRANT SELECT,DELETE ON TABLE public.stage_results TO docyard_web;

GRANT SELECT,UPDATE ON TABLE public.document_processing_queue TO docyard_web;

GRANT SELECT,INSERT,DELETE ON TABLE public.document_types TO docyard_web;

GRANT UPDATE(description) ON TABLE public.document_types TO docyard_web;

GRANT UPDATE(phrases) ON TABLE public.document_types TO docyard_web;

GRANT UPDATE(is_off) ON TABLE public.document_types TO docyard_web;

GRANT UPDATE(changed_by) ON TABLE public.document_types TO docyard_web;

GRANT UPDATE(changed_at) ON TABLE public.document_types TO docyard_web;

GRANT SELECT ON TABLE public.duties TO docyard_operator;

GRANT SELECT ON TABLE public.embedded_documents TO docyard_web;

GRANT SELECT ON TABLE public.embedding_models TO docyard_web;

GRANT SELECT,INSERT,DELETE ON TABLE public.entity_merges TO docyard_web;

GRANT UPDATE(reason) ON TABLE public.entity_merges TO docyard_web;

GRANT UPDATE(state) ON TABLE public.entity_merges TO docyard_web;

GRANT UPDATE(decided_by) ON TABLE public.entity_merges TO docyard_web;

GRANT UPDATE(decided_at) ON TABLE public.entity_merges TO docyard_web;

GRANT SELECT ON TABLE public.extracted_attachments TO docyard_web;

GRANT SELECT ON TABLE public.tiers TO docyard_web;
GRANT SELECT ON TABLE public.tiers TO docyard_operator;

GRANT UPDATE(paused) ON TABLE public.tiers TO docyard_operator;

GRANT SELECT,INSERT,UPDATE ON TABLE public.extraction_jobs TO docyard_web;

GRANT SELECT,INSERT,DELETE ON TABLE public.folders TO docyard_web;

GRANT UPDATE(name) ON TABLE public.folders TO docyard_web;

GRANT SELECT ON TABLE public.memberships TO docyard_web;

GRANT SELECT ON TABLE public.pages TO docyard_web;

GRANT SELECT ON TABLE public.pool_breakers TO docyard_operator;

GRANT UPDATE(state) ON TABLE public.pool_breakers TO docyard_operator;

GRANT UPDATE(failures) ON TABLE public.pool_breakers TO docyard_operator;

GRANT UPDATE(successes) ON TABLE public.pool_breakers TO docyard_operator;

GRANT UPDATE(trips) ON TABLE public.pool_breakers TO docyard_operator;

GRANT UPDATE(changed_at) ON TABLE public.pool_breakers TO docyard_operator;

GRANT UPDATE(open_until) ON TABLE public.pool_breakers TO docyard_operator;

GRANT SELECT ON TABLE public.pool_tiers TO docyard_operator;

GRANT SELECT ON TABLE public.pools TO docyard_web;
GRANT SELECT ON TABLE public.pools TO docyard_operator;

GRANT UPDATE(paused) ON TABLE public.pools TO docyard_operator;

GRANT SELECT ON TABLE public.queue_health_status TO docyard_web;

GRANT SELECT ON TABLE public.queue_samples TO docyard_operator;

GRANT SELECT,DELETE ON TABLE public.relations TO docyard_web;

GRANT UPDATE(state) ON TABLE public.relations TO docyard_web;

GRANT UPDATE(decided_by) ON TABLE public.relations TO docyard_web;

GRANT UPDATE(decided_at) ON TABLE public.relations TO docyard_web;

GRANT SELECT,INSERT ON TABLE public.renditions TO docyard_web;

GRANT SELECT ON TABLE public.retry_budgets TO docyard_operator;

GRANT SELECT ON TABLE public.schema_migrations TO docyard_web;

GRANT SELECT ON TABLE public.workspaces TO docyard_web;
GRANT SELECT ON TABLE public.workspaces TO docyard_operator;

GRANT SELECT,INSERT,UPDATE ON TABLE public.source_documents TO docyard_web;

GRANT SELECT ON TABLE public.stuck_documents TO docyard_web;

GRANT SELECT ON TABLE public.tag_embeddings TO docyard_web;

GRANT SELECT ON TABLE public.tags TO docyard_web;

GRANT SELECT ON TABLE public.tallies TO docyard_operator;

GRANT SELECT ON TABLE public.tally_totals TO docyard_operator;

GRANT SELECT ON TABLE public.workers TO docyard_operator;

GRANT SELECT,DELETE ON TABLE public.workspace_limits TO docyard_operator;

GRANT INSERT(workspace_id) ON TABLE public.workspace_limits TO docyard_operator;

GRANT INSERT(paused),UPDATE(paused) ON TABLE public.workspace_limits TO docyard_operator;
