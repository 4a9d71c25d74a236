"""Loading of the sample documents for `docyard up --demo`."""

from __future__ import annotations

from docyard.cli.installation import Installation
from docyard.cli.options import DEFAULT_WORKSPACE
from docyard.cli.run.samples import make_sample_documents
from docyard.intake import Arrival, receive
from docyard.store.blobs import FolderBlobs
from docyard.store.users import get_or_create_workspace


def add_samples(installation: Installation, blobs: FolderBlobs) -> None:
    """Add the sample documents to the default workspace; existing ones are not added again."""
    with installation.db.transaction() as conn:
        workspace_id = get_or_create_workspace(conn, DEFAULT_WORKSPACE)
    for name, data in make_sample_documents():
        arrival = Arrival(workspace_id, name, "cli", tags=("sample",))
        receive(installation.db, blobs, installation.limits, arrival, [data])
