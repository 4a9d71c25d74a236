-- Names that may be one are looked for in blocks: what a comparison costs no longer grows with the number of names.

-- An index of pieces had to read how many names have a piece before it could pass by those that too many have.
DROP INDEX entities_grams;
DROP FUNCTION entity_grams(uuid, text, text);

-- The blocks an entity's name stands in, as numbers that workspace and kind are part of; written when it is compared.
CREATE TABLE entity_blocks (
    entity_id uuid PRIMARY KEY REFERENCES entities ON DELETE CASCADE,
    blocks bigint[] NOT NULL
);
-- Without a list of what is still to be put in: every search would read it to its end.
CREATE INDEX entity_blocks_members ON entity_blocks USING gin (blocks) WITH (fastupdate = off);

-- Blocks that were found to hold too many names to tell anything, so that nobody counts them again soon.
CREATE TABLE common_blocks (
    block bigint PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    counted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX common_blocks_of ON common_blocks (workspace_id);

-- Upkeep alone uses them.
ALTER TABLE entity_blocks ENABLE ROW LEVEL SECURITY;
ALTER TABLE common_blocks ENABLE ROW LEVEL SECURITY;

-- Those that are there get their blocks by being compared once more.
UPDATE entities SET compared_at = NULL
WHERE compared_at IS NOT NULL AND kind IN ('person', 'organisation', 'place', 'court', 'equipment', 'part');
