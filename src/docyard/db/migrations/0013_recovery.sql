-- Finds documents with failed attempts that ended in a period, for the recovery rate.
CREATE INDEX documents_troubled ON documents (completed_at) WHERE failures > 0 AND completed_at IS NOT NULL;

-- Samples have got the counts for the recovery rate outside the counts of endings.
UPDATE queue_samples SET facts = facts #- '{ended,troubled}' #- '{ended,recovered}';
