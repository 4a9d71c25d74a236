"""`docyard cancel`: end work that nobody wants any more, queued or running."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from uuid import UUID

import click

from docyard.cli.choices import json_option
from docyard.cli.opening import opened
from docyard.cli.output import print_json
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.pipeline.again import cancel_document, cancel_jobs
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

    _each(settings, ids, act, as_json=as_json)


@cancel.command()
@click.argument("ids", nargs=-1, required=True, type=click.UUID)
@json_option
@click.pass_obj
def job(settings: Settings, ids: tuple[UUID, ...], as_json: bool) -> None:
    """Cancel live jobs with all they wait for; one of a document's road cancels the document."""

    def act(conn: Connection, job_id: UUID) -> None:
        if not cancel_jobs(conn, [job_id], _operator()):
            raise NotFound("There is no such live job.")

    _each(settings, ids, act, as_json=as_json)


def _each(
    settings: Settings, ids: tuple[UUID, ...], act: Callable[[Connection, UUID], None], *, as_json: bool
) -> None:
    """Each in its own transaction: one that has ended must not keep the others."""
    cancelled: list[UUID] = []
    left: dict[UUID, str] = {}
    with opened(settings) as installation:
        for one in dict.fromkeys(ids):
            try:
                with installation.db.transaction() as conn:
                    act(conn, one)
                cancelled.append(one)
            except (BadInput, NotFound) as error:
                left[one] = str(error)
    if as_json:
        print_json({"cancelled": cancelled, "left": {str(one): why for one, why in left.items()}})
    else:
        click.echo(f"{len(cancelled)} cancelled.")
    for one, why in left.items():
        click.echo(f"{one}: {why}", err=True)
    if left:
        raise SystemExit(1)


def _operator() -> str:
    try:
        return f"{getpass.getuser()} at the command line"
    except (OSError, KeyError):
        return "an operator"  # an account without a name, as in some containers
