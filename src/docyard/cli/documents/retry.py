"""`docyard retry`: retry failed stages, process documents again, or run new and changed stages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID

import click

from docyard.cli.blob_store import open_blobs
from docyard.cli.bulk_actions import act_on_each
from docyard.cli.installation import Installation, open_installation
from docyard.cli.options import find_workspace, json_option, workspace_option
from docyard.cli.output import print_json
from docyard.db import Database
from docyard.errors import BadInput
from docyard.pipeline.reruns import process_again, retry_document, update_document
from docyard.pipeline.unlocked_copies import require_source
from docyard.settings import Settings
from docyard.store.documents import list_completed_documents

_BATCH_SIZE = 200  # documents per transaction, which locks their rows


@click.command()
@click.argument("ids", nargs=-1, type=click.UUID)
@click.option(
    "--outdated", is_flag=True, help="Run new and changed stages on all completed documents of the workspace."
)
@click.option("--again", is_flag=True, help="Process finished documents from their files again.")
@workspace_option
@json_option
@click.pass_obj
def retry(
    settings: Settings, ids: tuple[UUID, ...], outdated: bool, again: bool, workspace: str, as_json: bool
) -> None:
    """Retry the documents IDS, or all --outdated documents.

    With IDS, the stages that did not succeed are run again, and so are failed embeddings and failed extractions of
    attachments. A document that has been taking longer than 10 minutes is taken from its worker and starts its
    stage again. With --again, the results of finished documents are discarded, and all stages from `extract` on
    are run; corrections by users are kept. A document whose stored file is missing is refused.

    With --outdated, stages that were added or changed after a document was completed are run in the tier `low`,
    so that new uploads are processed first. If an LLM connection was chosen for classification in the meantime,
    it classifies these documents, which may cost money.
    """
    if bool(ids) == outdated:
        raise BadInput("Pass either document ids or --outdated.")
    if again and not ids:
        raise BadInput("--again needs document ids.")
    with open_installation(settings) as installation:
        if ids:
            act = _make_process_again(installation) if again else partial(_retry_one, installation.db)
            act_on_each(ids, act, "queued", as_json=as_json)
        else:
            _report(_queue_outdated(installation.db, workspace), as_json=as_json)


def _retry_one(db: Database, document_id: UUID) -> None:
    with db.transaction() as conn:
        if retry_document(conn, document_id) is None:
            raise BadInput("There is nothing to retry.")


def _make_process_again(installation: Installation) -> Callable[[UUID], None]:
    blobs = open_blobs(installation)

    def act(document_id: UUID) -> None:
        require_source(installation.db, blobs, document_id)
        with installation.db.transaction() as conn:
            process_again(conn, document_id)

    return act


def _report(queued: list[UUID], *, as_json: bool) -> None:
    if as_json:
        print_json({"queued": queued})
    else:
        click.echo(f"{len(queued)} queued.")


def _queue_outdated(db: Database, workspace: str) -> list[UUID]:
    """Queue outdated documents and return their ids; each batch is committed, so workers can start early."""
    with db.transaction() as conn:
        workspace_id = find_workspace(conn, workspace)
    queued: list[UUID] = []
    last = 0
    while True:
        with db.transaction() as conn:
            batch = list_completed_documents(conn, workspace_id, last, _BATCH_SIZE)
            queued += [document_id for _, document_id in batch if update_document(conn, document_id)]
        if not batch:
            return queued
        last = batch[-1][0]
