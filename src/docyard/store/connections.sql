-- name: add_connection
-- Adds a connection to this workspace, with a pool for its jobs.
SELECT add_connection(%(name)s, %(provider)s, %(model)s, %(base_url)s, %(sealed_key)s, %(created_by)s, %(running)s,
    %(rate)s) AS id

-- name: list_connections
-- Returns the connections of a workspace, sorted by name, without their keys.
SELECT id, name, provider, model, base_url, classifies, created_at, tried_at, tried_seconds, trouble FROM connections
WHERE workspace_id = %(workspace_id)s ORDER BY name

-- name: get_sealed
-- Returns one connection with its encrypted key.
SELECT id, name, provider, model, base_url, sealed_key FROM connections
WHERE workspace_id = %(workspace_id)s AND id = %(id)s

-- name: find_classifier
-- Returns the connection that classifies the documents of a workspace, if one was chosen.
SELECT id FROM connections WHERE workspace_id = %(workspace_id)s AND classifies

-- name: stop_classifying
-- Stops the use of a connection to classify the documents of a workspace; returns its id.
UPDATE connections SET classifies = false WHERE workspace_id = %(workspace_id)s AND classifies RETURNING id

-- name: start_classifying
-- Makes a connection classify the documents of its workspace.
UPDATE connections SET classifies = true WHERE workspace_id = %(workspace_id)s AND id = %(id)s RETURNING id

-- name: record_test
-- Records the result of testing a connection.
UPDATE connections SET tried_at = clock_timestamp(), tried_seconds = %(seconds)s, trouble = left(%(trouble)s, 2000)
WHERE id = %(id)s

-- name: remove_connection
-- Removes a connection of this workspace; jobs waiting for it continue without it.
SELECT remove_connection(%(id)s) AS removed
