"""`docyard migrate`: bring the schema up to date."""

from __future__ import annotations

import click

from docyard.cli.installation import opened
from docyard.db import schema_version
from docyard.settings import Settings


@click.command("migrate")
@click.pass_obj
def migrate_command(settings: Settings) -> None:
    """Bring the database schema up to date; safe while others run or start."""
    with opened(settings, create=True) as installation, installation.db.transaction() as conn:
        click.echo(f"The schema is at version {schema_version(conn)}.")
