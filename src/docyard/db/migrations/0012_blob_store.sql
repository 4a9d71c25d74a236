-- The id of the blob store, which is also in the marker of the store. It tells a missing or wrong store from a missing
-- file.
CREATE TABLE blob_store (
    id uuid NOT NULL,
    only_row boolean PRIMARY KEY DEFAULT true,
    CONSTRAINT blob_store_one_row CHECK (only_row)
);
ALTER TABLE blob_store ENABLE ROW LEVEL SECURITY;
