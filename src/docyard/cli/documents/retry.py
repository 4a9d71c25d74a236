"""`docyard retry`: try documents again, or bring finished ones up to what is done with new ones today."""

from __future__ import annotations

from uuid import UUID

import click

from docyard.cli.installation import opened
from docyard.cli.options import json_option, workspace_named, workspace_option
from docyard.cli.output import print_json
from docyard.cli.several import act_on_each
from docyard.db import Connection, Database
from docyard.errors import BadInput
from docyard.pipeline.reprocess import renew_document, retry_document
from docyard.settings import Settings
from docyard.store.documents import completed_documents

_AT_ONCE = 200  # documents of one transaction: it holds locks on their rows


@click.command()
@click.argument("ids", nargs=-1, type=click.UUID)
@click.option("--outdated", is_flag=True, help="All finished documents that lack what new ones get.")
@workspace_option
@json_option
@click.pass_obj
def retry(settings: Settings, ids: tuple[UUID, ...], outdated: bool, workspace: str, as_json: bool) -> None:
    """Run again what did not succeed of these documents, or what is --outdated of a whole workspace.

    Outdated are finished documents whose stages have got newer versions since, or further stages after them.
    Only those stages are run, in the tier `low`, so new uploads come first. A language model that the
    workspace has chosen since is asked about them too, and may cost money.
    """
    if bool(ids) == outdated:
        raise BadInput("Name documents, or say --outdated.")
    if ids:
        act_on_each(settings, ids, _retried, "queued", as_json=as_json)
        return
    with opened(settings) as installation:
        queued = _renewed(installation.db, workspace)
    if as_json:
        print_json({"queued": queued})
    else:
        click.echo(f"{len(queued)} queued.")


def _retried(conn: Connection, document_id: UUID) -> None:
    if retry_document(conn, document_id) is None:
        raise BadInput("There is nothing to try again.")


def _renewed(db: Database, workspace: str) -> list[UUID]:
    """Part by part, so that workers begin meanwhile and an interruption keeps what is queued."""
    with db.transaction() as conn:
        workspace_id = workspace_named(conn, workspace)
    queued: list[UUID] = []
    last = 0
    while True:
        with db.transaction() as conn:
            part = completed_documents(conn, workspace_id, last, _AT_ONCE)
            queued += [document_id for _, document_id in part if renew_document(conn, document_id)]
        if not part:
            return queued
        last = part[-1][0]
