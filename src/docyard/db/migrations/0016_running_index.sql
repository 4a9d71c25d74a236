-- One index follows the jobs that run instead of two: each claim writes to it, and those that run are few.
DROP INDEX jobs_running_in_pool;
DROP INDEX jobs_running;
CREATE INDEX jobs_running ON jobs (pool, workspace_id, worker_id) WHERE state = 'running';
