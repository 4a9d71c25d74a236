"""`docyard migrate`: create or update the database schema."""

from __future__ import annotations

import click

from docyard.cli.installation import open_installation
from docyard.db import schema_version
from docyard.queue.control import ChangedPool
from docyard.settings import Settings


@click.command("migrate")
@click.pass_obj
def migrate_command(settings: Settings) -> None:
    """Create the database schema, or update it for this version.

    Other Docyard processes can keep running during the update.
    """
    with open_installation(settings, install=True) as installation, installation.db.transaction() as conn:
        version = schema_version(conn)
    installed = installation.installed
    if not installed:
        click.echo(f"The schema is already current (version {version}).")
        return
    for migration in installed.schema.migrations:
        click.echo(f"Applied migration {migration.version:04} {migration.name}.")
    if installed.schema.objects:
        click.echo(f"Applied the SQL files {', '.join(file.name for file in installed.schema.objects)}.")
    if installed.vectors:
        click.echo("Created the tables for embedding vectors.")
    if installed.pools.made:
        click.echo(f"Created the pools {', '.join(installed.pools.made)}.")
    if installed.pools.changed:
        click.echo(f"Changed the pools {', '.join(map(_describe_change, installed.pools.changed))}.")
    click.echo(f"The schema is current (version {version}).")


def _describe_change(pool: ChangedPool) -> str:
    unchanged = pool.resource == pool.resource_before
    return pool.name if unchanged else f"{pool.name} ({pool.resource}, was {pool.resource_before})"
