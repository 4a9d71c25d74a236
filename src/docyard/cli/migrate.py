"""`docyard migrate`: bring the schema up to date."""

from __future__ import annotations

import click

from docyard.cli.installation import opened
from docyard.db import schema_version
from docyard.queue.control import RenewedPool
from docyard.settings import Settings


@click.command("migrate")
@click.pass_obj
def migrate_command(settings: Settings) -> None:
    """Bring the database schema up to date; safe while others run or start."""
    with opened(settings, install=True) as installation, installation.db.transaction() as conn:
        version = schema_version(conn)
    done = installation.installed
    if not done:
        click.echo(f"The schema is already current (version {version}).")
        return
    for migration in done.schema.migrations:
        click.echo(f"Applied migration {migration.version:04} {migration.name}.")
    if done.schema.objects:
        click.echo(f"Applied {', '.join(file.name for file in done.schema.objects)}.")
    if done.vectors:
        click.echo("Made the tables for vectors.")
    if done.pools.made:
        click.echo(f"Made the pools {', '.join(done.pools.made)}.")
    if done.pools.changed:
        click.echo(f"Changed the pools {', '.join(map(_renewed, done.pools.changed))}.")
    click.echo(f"The schema is current (version {version}).")


def _renewed(pool: RenewedPool) -> str:
    same = pool.resource == pool.resource_before
    return pool.name if same else f"{pool.name} ({pool.resource}, was {pool.resource_before})"
