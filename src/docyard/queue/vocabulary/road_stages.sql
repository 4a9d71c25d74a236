-- Stages and final failures, as the program knows them; a test compares both lists.

-- The stages in the order of the road; a test compares it with the program's.
CREATE OR REPLACE FUNCTION road_stages() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['fetch', 'extract', 'ocr', 'classify', 'chunk', 'classify_ai', 'fields', 'entities', 'canonicalise', 'relate'];

-- Failures that no further try can cure; a test compares the list with the program's.
CREATE OR REPLACE FUNCTION failure_is_final(category text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(category IN ('ai_content_blocked', 'ai_unauthorized', 'ai_refused', 'validation',
                             'unsupported_file_type', 'not_found', 'unauthorized', 'empty', 'corrupt', 'encrypted',
                             'no_text', 'not_installed', 'unknown_type'), false);

REVOKE EXECUTE ON FUNCTION road_stages(), failure_is_final(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION road_stages(), failure_is_final(text) TO docyard_web;
