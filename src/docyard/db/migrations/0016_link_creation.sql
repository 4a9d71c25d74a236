-- When a sign-in link was made: after a step of the database's clock, the end of links that were made before is shifted.
ALTER TABLE sign_in_links ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
