-- name: fold_text_changes
-- Adds what saving and dropping documents changed to the counts of words.
SELECT fold_text_changes(%(most)s) AS folded
