-- What the parts of a page are, and under which headings a passage stands.
ALTER TABLE pages
    ADD COLUMN blocks bytea NOT NULL DEFAULT '',
    -- A block is 10 bytes: kind, level and two offsets.
    ADD CONSTRAINT pages_blocks_whole CHECK (octet_length(blocks) % 10 = 0);

ALTER TABLE chunks ADD COLUMN heading text NOT NULL DEFAULT '';
