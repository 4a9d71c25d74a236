-- Privileges on tables. The privileges on functions and views are in the files that define them.

-- Row-level security on every table with rows of tenants or the state of the queue. A role sees no rows of a table
-- without a policy for it. The owner, which workers use, is not restricted.
DO $$
DECLARE
    name text;
BEGIN
    -- Fails closed: without a workspace, current_workspace() is NULL, and no row matches.
    FOREACH name IN ARRAY '{memberships,blobs,folders,documents,stage_results,pages,renditions,chunks,attachments,tags,
        document_types,connections,jobs,job_history,dead_letters,embedded_documents,field_values,entities,mentions,
        entity_merges,relations}'::text[]
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_workspace ON %I TO docyard_web USING (workspace_id = (SELECT current_workspace()))'
            ' WITH CHECK (workspace_id = (SELECT current_workspace()))', name);
    END LOOP;
    -- Used only by the owner and by functions that run as the owner (SECURITY DEFINER).
    FOREACH name IN ARRAY '{users,sessions,sign_in_links,job_history_default,lanes,workspace_limits,pool_breakers,
        breaker_marks,retry_budgets,tallies,tally_totals,duties,queue_samples,lexemes,text_totals,text_changes,
        entity_blocks,common_blocks}'::text[]
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    END LOOP;
END $$;
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON workspaces TO docyard_web
    USING (id = (SELECT current_workspace())) WITH CHECK (id = (SELECT current_workspace()));

-- The web app.
GRANT SELECT ON workspaces, memberships, blobs, folders, documents, stage_results, pages, renditions, chunks, attachments,
    tags, document_types, jobs, job_history, dead_letters, tiers, pools, embedding_models, embedded_documents,
    field_values, entities, mentions, entity_merges, relations, schema_migrations, schema_objects
    TO docyard_web;
GRANT INSERT ON blobs, documents, jobs, job_history, renditions TO docyard_web;
GRANT UPDATE ON documents, jobs TO docyard_web;
GRANT DELETE ON stage_results, dead_letters, jobs TO docyard_web;
-- A dead letter is locked before it is replayed, and SELECT FOR UPDATE requires an UPDATE privilege.
GRANT UPDATE (replays) ON dead_letters TO docyard_web;
-- An error that an outside program reports is inserted as a dead letter with the privileges of that program.
GRANT INSERT ON dead_letters TO docyard_web;
GRANT INSERT, DELETE, UPDATE (name) ON folders TO docyard_web;
GRANT INSERT, DELETE, UPDATE (description, phrases, is_off, changed_by, changed_at) ON document_types TO docyard_web;
-- The web app can store an API key, but not read it.
GRANT SELECT (id, workspace_id, name, provider, model, base_url, classifies, created_by, created_at, tried_at,
              tried_seconds, trouble), UPDATE (classifies) ON connections TO docyard_web;
-- Deleting a document deletes its facts, and entities that no other document mentions.
GRANT DELETE ON field_values, entities, mentions, entity_merges, relations TO docyard_web;
-- Users' decisions, and the values that they enter.
GRANT INSERT ON entity_merges TO docyard_web;
GRANT UPDATE (state, decided_by, decided_at) ON entity_merges, mentions, relations TO docyard_web;
GRANT UPDATE (reason) ON entity_merges TO docyard_web;
GRANT UPDATE (merged_into, name, compared_at) ON entities TO docyard_web;
GRANT INSERT (document_id, workspace_id, name, ordinal, value, normal, number, day, confidence, source, page,
              start_offset, end_offset, state, decided_by, decided_at, corrects),
    UPDATE (value, normal, number, day, page, start_offset, end_offset, state, decided_by, decided_at)
    ON field_values TO docyard_web;

-- Operators see the status of documents and jobs, but not the content of documents or the payload of jobs.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{workspaces,documents,jobs,job_history,dead_letters,workspace_limits,retry_budgets,
        pool_breakers,breaker_marks,tallies,tally_totals,duties,queue_samples}'::text[]
    LOOP
        EXECUTE format('CREATE POLICY all_workspaces ON %I TO docyard_operator USING (true) WITH CHECK (true)', name);
    END LOOP;
END $$;
GRANT SELECT ON tiers, pools, pool_tiers, pool_breakers, workers, dead_letters, workspaces, tallies, tally_totals,
    duties, queue_samples, retry_budgets, workspace_limits TO docyard_operator;
GRANT SELECT (id, workspace_id, pool, tier, priority, type, stage, document_id, state, run_at, attempts, max_attempts,
              fence, worker_id, started_at, arrived_at, created_at) ON jobs TO docyard_operator;
GRANT SELECT (id, workspace_id, name, status, stage, reason, reason_category, failures, running_seconds, created_at,
              updated_at, completed_at, deleted_at) ON documents TO docyard_operator;
-- Replaying and discarding dead letters.
GRANT INSERT ON jobs TO docyard_operator;
GRANT DELETE, UPDATE (replays) ON dead_letters TO docyard_operator;
GRANT UPDATE (status, reason, reason_category, failures, running_seconds, updated_at, completed_at) ON documents
    TO docyard_operator;
GRANT INSERT, SELECT (id) ON job_history TO docyard_operator;
-- Pausing and resuming.
GRANT UPDATE (paused) ON pools, tiers TO docyard_operator;
GRANT INSERT (workspace_id, paused), UPDATE (paused), DELETE ON workspace_limits TO docyard_operator;
-- Closing a breaker, and deleting the recorded failures of its pool.
GRANT DELETE, SELECT (pool) ON breaker_marks TO docyard_operator;
GRANT UPDATE (state, failures, successes, trips, open_until, changed_at) ON pool_breakers TO docyard_operator;
