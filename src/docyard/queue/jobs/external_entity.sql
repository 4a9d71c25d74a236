-- name: get_external_entity
-- Returns the type and id of the external entity of a live job.
SELECT entity_type, entity_id FROM jobs WHERE id = %(job_id)s
