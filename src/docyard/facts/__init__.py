"""What a document says: its type, title, fields, mentions, entities and relations."""
