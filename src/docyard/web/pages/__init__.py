"""The HTML pages. Each page is a module with an entry in PAGES."""

from docyard.web.pages import (
    connections,
    document,
    documents,
    entities,
    fact_forms,
    operations,
    originals,
    page_images,
    search,
    sign_in,
    types,
)

PAGES = (
    sign_in.routes,
    documents.routes,
    document.routes,
    page_images.routes,
    originals.routes,
    search.routes,
    entities.routes,
    fact_forms.routes,
    operations.routes,
    connections.routes,
    types.routes,
)
