"""`docyard sign-in`: a new one-time link."""

from __future__ import annotations

import click

from docyard.cli.opening import opened, public_url
from docyard.cli.people import owner_link
from docyard.cli.running import running_port
from docyard.settings import Settings


@click.command("sign-in")
@click.pass_obj
def sign_in(settings: Settings) -> None:
    """Print a one-time sign-in link for the owner."""
    with opened(settings) as installation:
        port = running_port(settings.home) or settings.port
        click.echo(owner_link(installation, public_url(settings, port)))
