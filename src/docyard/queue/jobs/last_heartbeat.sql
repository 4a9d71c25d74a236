-- Returns the time of the last heartbeat of a worker, which may have been sent while its row was locked. Then a time in
-- the future does not count: it is from before a step of the clock.

CREATE OR REPLACE FUNCTION last_heartbeat(w workers) RETURNS timestamptz LANGUAGE sql STABLE
RETURN greatest(w.heartbeat_at, (
    SELECT h.heartbeat_at FROM locked_heartbeats h
    WHERE h.worker_id = w.id AND h.heartbeat_at <= clock_timestamp()));

REVOKE EXECUTE ON FUNCTION last_heartbeat(workers) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION last_heartbeat(workers) TO docyard_operator;
