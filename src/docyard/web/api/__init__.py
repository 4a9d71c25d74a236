"""The JSON API below /api/v1. Each resource is a module with an entry in RESOURCES."""

from docyard.web.api import connections, documents, facts, folders, tags, types

RESOURCES = (documents.routes, facts.routes, connections.routes, tags.routes, types.routes, folders.routes)
