"""`docyard cancel`: cancel queued or running work."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from uuid import UUID

import click

from docyard.cli.bulk_actions import act_on_batches
from docyard.cli.options import json_option
from docyard.db import Connection
from docyard.pipeline.cancellation import cancel_documents, cancel_jobs
from docyard.settings import Settings


@click.group()
def cancel() -> None:
    """Cancel queued or running documents and jobs."""


@cancel.command()
@click.argument("ids", nargs=-1, required=True, type=click.UUID)
@json_option
@click.pass_obj
def document(settings: Settings, ids: tuple[UUID, ...], as_json: bool) -> None:
    """Cancel the processing of the documents IDS.

    `docyard retry` resumes a cancelled document at the stage where it stopped.
    """

    def act(conn: Connection, some: Sequence[UUID]) -> dict[UUID, str]:
        refusals = cancel_documents(conn, some, _describe_user())
        return {one: str(refusal) for one, refusal in refusals.items()}

    act_on_batches(settings, ids, act, "cancelled", as_json=as_json)


@cancel.command()
@click.argument("ids", nargs=-1, required=True, type=click.UUID)
@json_option
@click.pass_obj
def job(settings: Settings, ids: tuple[UUID, ...], as_json: bool) -> None:
    """Cancel the queued or running jobs IDS.

    If a job is waiting for other jobs, those are cancelled too. Cancelling the job that processes a document
    cancels the document.
    """

    def act(conn: Connection, some: Sequence[UUID]) -> dict[UUID, str]:
        ended = set(cancel_jobs(conn, some, _describe_user()))
        return {one: "There is no queued or running job with this id." for one in some if one not in ended}

    act_on_batches(settings, ids, act, "cancelled", as_json=as_json)


def _describe_user() -> str:
    try:
        return f"{getpass.getuser()} at the command line"
    except (OSError, KeyError):
        return "an operator"  # the user has no name, as in some containers
