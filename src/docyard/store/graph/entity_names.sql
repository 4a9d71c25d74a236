-- The display names of entities.

-- Returns the text of a mention as a name on one line.
CREATE OR REPLACE FUNCTION shown_name(text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(btrim(regexp_replace(text, '\s+', ' ', 'g')), 500);

-- Returns whether the first of two spellings is the better one: mixed case before a single case, then the longer one.
CREATE OR REPLACE FUNCTION is_better_name(one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (one <> upper(one) AND one <> lower(one), char_length(one), one COLLATE "C")
    > (other <> upper(other) AND other <> lower(other), char_length(other), other COLLATE "C");

-- Returns the display name of an entity: the best of its own name and the names of all entities merged into it.
CREATE OR REPLACE FUNCTION family_name(root uuid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT e.name FROM entities e WHERE e.id = root OR e.merged_into = root
    ORDER BY e.name <> upper(e.name) AND e.name <> lower(e.name) DESC, char_length(e.name) DESC, e.name COLLATE "C" DESC
    LIMIT 1);

REVOKE EXECUTE ON FUNCTION shown_name(text), is_better_name(text, text), family_name(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION shown_name(text), is_better_name(text, text), family_name(uuid) TO docyard_web;
