"""Facts of a document: its type, title, fields, mentions, entities and relations."""
