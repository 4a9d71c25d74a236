-- Upkeep: one duty at a time across all hosts, and when each was last done.

CREATE TABLE duties (
    duty text PRIMARY KEY,
    began_at timestamptz NOT NULL DEFAULT '-infinity',
    seconds double precision NOT NULL DEFAULT 0,
    -- What the duty had to say; an error stays until it succeeds again.
    said text,
    error text,
    failed_at timestamptz,
    CONSTRAINT duties_failed_when CHECK ((error IS NULL) = (failed_at IS NULL))
) WITH (fillfactor = 50);
ALTER TABLE duties ENABLE ROW LEVEL SECURITY;
