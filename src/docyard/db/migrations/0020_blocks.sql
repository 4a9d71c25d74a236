-- What the parts of a page are, and under which headings a passage stands.
ALTER TABLE pages
    ADD COLUMN blocks bytea NOT NULL DEFAULT '',
    -- A block is 10 bytes: kind, level and two offsets.
    ADD CONSTRAINT pages_blocks_whole CHECK (octet_length(blocks) % 10 = 0);

-- Boxes hardly shrink, and trying to compress them took as long as everything else about storing a page.
ALTER TABLE pages ALTER COLUMN words SET STORAGE EXTERNAL;

ALTER TABLE chunks ADD COLUMN heading text NOT NULL DEFAULT '';
