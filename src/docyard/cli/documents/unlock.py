"""`docyard unlock`: give the password that a document waits for."""

from __future__ import annotations

import sys
from uuid import UUID

import click

from docyard.cli.installation import opened
from docyard.cli.pipeline import pipeline_of
from docyard.errors import BadInput, Reject
from docyard.pipeline.unlock import unlock_document
from docyard.settings import Settings
from docyard.store.documents import get_document


@click.command()
@click.argument("document_id", metavar="ID", type=click.UUID)
@click.pass_obj
def unlock(settings: Settings, document_id: UUID) -> None:
    """Open a protected PDF with its password, asked for or read from standard input, and process it.

    The password is stored nowhere. A copy without it is kept beside the original, which stays as it is.
    """
    with opened(settings) as installation, pipeline_of(installation, 1) as pipeline:
        with pipeline.db.transaction() as conn:
            document = get_document(conn, document_id)
        try:
            unlock_document(pipeline.db, pipeline.blobs, pipeline.children, document, _password())
        except Reject as failure:
            raise BadInput(failure.message) from None
    click.echo(f"{document.name} is unlocked and in the queue again.")


def _password() -> str:
    # Never an argument: other people on the machine can see those.
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True))
    return sys.stdin.readline().rstrip("\r\n")
