-- name: entity_of
-- The outside thing that a live job concerns.
SELECT entity_type, entity_id FROM jobs WHERE id = %(job_id)s
