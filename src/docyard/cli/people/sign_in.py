"""`docyard sign-in`: a new one-time link."""

from __future__ import annotations

import click

from docyard.cli.installation import opened, public_url
from docyard.cli.people.links import link_for, owner_link
from docyard.cli.run.running import running_port
from docyard.settings import Settings
from docyard.store.people import user_with

_MINUTES = 24 * 60


@click.command("sign-in")
@click.argument("email", required=False)
@click.pass_obj
def sign_in(settings: Settings, email: str | None) -> None:
    """Print a one-time sign-in link for a person, or for the owner if none is named."""
    with opened(settings) as installation:
        base = public_url(settings, running_port(settings.home) or settings.port)
        if email is None:
            return click.echo(owner_link(installation, base))
        with installation.db.transaction() as conn:
            user_id = user_with(conn, email)
        return click.echo(link_for(installation, user_id, base, _MINUTES))
