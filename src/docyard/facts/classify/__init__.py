"""The type of a document: by format, phrases and layout, and by meaning where these leave it open."""
