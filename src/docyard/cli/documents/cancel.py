"""`docyard cancel`: end work that nobody wants any more, queued or running."""

from __future__ import annotations

import getpass
from uuid import UUID

import click

from docyard.cli.one_by_one import act_on_each
from docyard.cli.options import json_option
from docyard.db import Connection
from docyard.errors import NotFound
from docyard.pipeline.cancellation import cancel_document, cancel_jobs
from docyard.settings import Settings


@click.group()
def cancel() -> None:
    """End the work on documents, or single jobs; a worker that runs one finds its result refused."""


@cancel.command()
@click.argument("ids", nargs=-1, required=True, type=click.UUID)
@json_option
@click.pass_obj
def document(settings: Settings, ids: tuple[UUID, ...], as_json: bool) -> None:
    """Cancel documents; each can be retried and goes on where it stopped."""

    def act(conn: Connection, document_id: UUID) -> None:
        cancel_document(conn, document_id, _operator())

    act_on_each(settings, ids, act, "cancelled", as_json=as_json)


@cancel.command()
@click.argument("ids", nargs=-1, required=True, type=click.UUID)
@json_option
@click.pass_obj
def job(settings: Settings, ids: tuple[UUID, ...], as_json: bool) -> None:
    """Cancel live jobs with all they wait for; one of a document's road cancels the document."""

    def act(conn: Connection, job_id: UUID) -> None:
        if not cancel_jobs(conn, [job_id], _operator()):
            raise NotFound("There is no such live job.")

    act_on_each(settings, ids, act, "cancelled", as_json=as_json)


def _operator() -> str:
    try:
        return f"{getpass.getuser()} at the command line"
    except (OSError, KeyError):
        return "an operator"  # an account without a name, as in some containers
