-- Returns all tags of a document without duplicates: first those added by users, then those found by classification.

CREATE OR REPLACE FUNCTION all_tags(given text[], found text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN given || ARRAY(SELECT f.tag FROM unnest(found) WITH ORDINALITY AS f (tag, place)
    WHERE NOT tag_key(f.tag) = ANY (tag_keys(given)) ORDER BY f.place);
