-- Returns the number and id of the workspace with this name; creates it if it does not exist.

CREATE OR REPLACE FUNCTION get_or_create_project(project_name text, OUT project_fk_id bigint, OUT project_uuid uuid)
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

REVOKE EXECUTE ON FUNCTION get_or_create_project(text) FROM PUBLIC;

COMMENT ON FUNCTION get_or_create_project(text) IS
    'Return the workspace with this name; create it if it does not exist.';
