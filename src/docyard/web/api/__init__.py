"""The JSON API below /api/v1; a new resource is one file and one entry here."""

from docyard.web.api import connections, documents, facts, folders, tags, types

RESOURCES = (
    documents.routes,
    facts.routes,
    connections.routes,
    tags.routes,
    types.routes,
    folders.routes,
)
