"""`docyard unlock`: unlock a password-protected document."""

from __future__ import annotations

import sys
from uuid import UUID

import click

from docyard.cli.blob_store import open_blobs
from docyard.cli.installation import open_installation
from docyard.cli.pipeline import open_pipeline
from docyard.errors import BadInput, Reject
from docyard.pipeline.unlocked_copies import unlock_document
from docyard.settings import Settings
from docyard.store.documents import get_document


@click.command()
@click.argument("document_id", metavar="ID", type=click.UUID)
@click.pass_obj
def unlock(settings: Settings, document_id: UUID) -> None:
    """Unlock the password-protected PDF document ID.

    The password is read from a prompt, or from standard input if that is not a terminal. It is not stored. A
    copy without protection is stored and processed; the original is not changed.
    """
    with (
        open_installation(settings) as installation,
        open_pipeline(installation, open_blobs(installation), 1) as pipeline,
    ):
        with pipeline.db.transaction() as conn:
            document = get_document(conn, document_id)
        try:
            unlock_document(pipeline.db, pipeline.blobs, pipeline.children, document, _read_password())
        except Reject as failure:
            raise BadInput(failure.message) from None
    click.echo(f"{document.name} was unlocked and is in the queue again.")


def _read_password() -> str:
    # Not an argument, because arguments are visible to other users of the machine.
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True))
    return sys.stdin.readline().rstrip("\r\n")
