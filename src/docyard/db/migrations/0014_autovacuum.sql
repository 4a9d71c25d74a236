-- When the busy tables are vacuumed. Every claim and settlement leaves dead rows; index scans wade through them.

-- All of them: vacuum does not pause while it works (the rows are few or soon reused, and pausing lets more die than
-- it removes), and gives no pages back to the disk: that needs a lock that every claim would wait for, and the next
-- burst needs the pages again.

-- Its thresholds are those of 0003: a fiftieth of the rows and 2,000.
ALTER TABLE jobs SET (vacuum_truncate = false);

-- A row for each lane, updated by each claim of it; the thresholds are those of 0003.
ALTER TABLE lanes SET (autovacuum_vacuum_cost_delay = 0, vacuum_truncate = false);

-- Rows are put in by every claim and settlement and all taken out again by upkeep; the thresholds are those of 0010.
ALTER TABLE tallies SET (vacuum_truncate = false);

-- A handful of rows each, updated by every claim or fold. They are one page as long as dead rows go; a share of a
-- handful says nothing, so a fixed number decides, low enough that a scan of them stays within a few pages.
ALTER TABLE pools SET (
    autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);
ALTER TABLE pool_tiers SET (
    autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);
ALTER TABLE pool_breakers SET (
    autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);
ALTER TABLE duties SET (
    autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);

-- Hundreds of rows at most (pools by tiers by events; workers of a week), updated with every fold and heartbeat. A
-- fixed number again, in proportion to their size.
ALTER TABLE tally_totals SET (
    autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);
ALTER TABLE workers SET (
    autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);

-- A row for each workspace in trouble, which may be thousands, found by key: a share of them is right.
ALTER TABLE retry_budgets SET (
    autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = false);
