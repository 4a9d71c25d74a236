-- Returns a query that highlights the words in a text of this language. Stop words are highlighted only if there are no
-- other words.

CREATE OR REPLACE FUNCTION marking_query(config regconfig, words text, prefixes text[]) RETURNS tsquery
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT CASE WHEN numnode(telling) > 0 THEN telling ELSE websearch_to_tsquery(config, words) END
    FROM (SELECT websearch_to_tsquery(regexp_replace(config::text, '^.*every_', '')::regconfig, words)
        || coalesce((SELECT string_agg(lower(p) || ':*', ' | ')::tsquery FROM unnest(prefixes) p), '') AS telling) t
);
