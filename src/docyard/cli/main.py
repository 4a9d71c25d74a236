"""The `docyard` command and its list of subcommands."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import NoReturn

import click

from docyard import __version__, log, settings
from docyard.errors import (
    BadInput,
    DocyardError,
    Locked,
    NotFound,
    SetupError,
    StorageFull,
    Unavailable,
    WrongStore,
    is_disk_full,
)

# Every other DocyardError exits with 1: some of the work failed.
_EXIT_CODES: tuple[tuple[type[DocyardError], int], ...] = (
    (BadInput, 2),  # invalid usage
    (NotFound, 2),
    (SetupError, 3),  # the installation is not ready
    (WrongStore, 3),
    (Unavailable, 4),  # the database cannot be reached
)
COMMANDS = {
    "add": "docyard.cli.documents.add:add",
    "cancel": "docyard.cli.documents.cancel:cancel",
    "connection": "docyard.cli.connection:connection",
    "dead": "docyard.cli.queue.dead:dead",
    "doctor": "docyard.cli.doctor.doctor:doctor",
    "entity": "docyard.cli.facts.entity:entity",
    "graph": "docyard.cli.facts.graph:graph",
    "limit": "docyard.cli.queue.controls:limit",
    "migrate": "docyard.cli.migrate:migrate_command",
    "pause": "docyard.cli.queue.controls:pause",
    "pool": "docyard.cli.queue.pool:pool",
    "process": "docyard.cli.process.process:process",
    "queue": "docyard.cli.queue.queue:queue_group",
    "resume": "docyard.cli.queue.controls:resume",
    "retry": "docyard.cli.documents.retry:retry",
    "search": "docyard.cli.documents.search:search_command",
    "serve": "docyard.cli.run.serve:serve_command",
    "sign-in": "docyard.cli.users.sign_in:sign_in",
    "tag": "docyard.cli.documents.tag:tag",
    "types": "docyard.cli.documents.types:types",
    "unlock": "docyard.cli.documents.unlock:unlock",
    "up": "docyard.cli.run.up:up",
    "user": "docyard.cli.users.user:user",
    "worker": "docyard.cli.run.worker:worker",
}


class LazyGroup(click.Group):
    """A group that imports each command on demand, so that `docyard search` does not load FastAPI."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; return None if its name is unknown."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docyard")
@click.pass_context
def docyard(ctx: click.Context) -> None:
    """Store, process and search documents."""
    try:
        ctx.obj = settings.load()
    except settings.InvalidSetting as error:
        raise SetupError(str(error)) from error
    # One-off commands print their results, so they log only warnings by default. Long-running commands
    # configure the log again.
    level = ctx.obj.log_level if settings.is_set("log_level") else "WARNING"
    log.configure(level, as_json=ctx.obj.log_json)


def main() -> None:
    """Run a command; print a DocyardError as one message and exit with the code of its kind."""
    try:
        docyard(prog_name="docyard")
    except DocyardError as error:
        _exit_with(error)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        if not is_disk_full(error):
            raise
        _exit_with(StorageFull())


def _exit_with(error: DocyardError) -> NoReturn:
    advice = " To see which one, run: docyard doctor" if isinstance(error, Locked) else ""
    click.secho(f"docyard: {error}{advice}", err=True, fg="red")
    sys.exit(next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), 1))
