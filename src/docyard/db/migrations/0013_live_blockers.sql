-- Blockers are read from the views of the server when they are shown, so that none is shown that has ended.
DROP TABLE blockers;
