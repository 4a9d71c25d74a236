"""`docyard cancel`: end work that nobody wants any more, queued or running."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from uuid import UUID

import click

from docyard.cli.options import json_option
from docyard.cli.several import act_on_parts
from docyard.db import Connection
from docyard.pipeline.cancellation import cancel_documents, cancel_jobs
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

    def act(conn: Connection, some: Sequence[UUID]) -> dict[UUID, str]:
        refusals = cancel_documents(conn, some, _operator())
        return {one: str(refusal) for one, refusal in refusals.items()}

    act_on_parts(settings, ids, act, "cancelled", as_json=as_json)


@cancel.command()
@click.argument("ids", nargs=-1, required=True, type=click.UUID)
@json_option
@click.pass_obj
def job(settings: Settings, ids: tuple[UUID, ...], as_json: bool) -> None:
    """Cancel live jobs with all they wait for; one of a document's road cancels the document."""

    def act(conn: Connection, some: Sequence[UUID]) -> dict[UUID, str]:
        ended = set(cancel_jobs(conn, some, _operator()))
        return {one: "There is no such live job." for one in some if one not in ended}

    act_on_parts(settings, ids, act, "cancelled", as_json=as_json)


def _operator() -> str:
    try:
        return f"{getpass.getuser()} at the command line"
    except (OSError, KeyError):
        return "an operator"  # an account without a name, as in some containers
