"""docs/reference/commands.md, from the definitions of the commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from docyard.cli.main import docyard
from docyard.settings import Settings
from tools.reference.markdown import table

HEAD = """# Commands

Every command has `--help`. Most commands that print results have `--json`. From a clone, the command is
`.venv/bin/docyard`; set `DOCYARD_HOME=var` to use the installation that `make up` runs.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | some of the work failed |
| 2 | invalid usage, or the object does not exist |
| 3 | the installation is not ready; the message explains what to do |
| 4 | the database cannot be reached |
"""


def render() -> str:
    """Return the page."""
    context = click.Context(docyard, info_name="docyard", obj=Settings())
    return HEAD + "".join(f"\n{section}" for section in _sections(docyard, context))


def _sections(group: click.Group, context: click.Context, level: str = "##") -> Iterator[str]:
    """Yield a section for each command, and one for each group before its commands."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        own = click.Context(command, parent=context, info_name=name)
        heading = f"{level} {own.command_path}\n\n"
        if isinstance(command, click.Group):
            yield f"{heading}{_text(command)}\n"
            yield from _sections(command, own, f"{level}#")
        else:
            yield heading + _description(command, own)


def _description(command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    options = table(["option", "meaning"], _options(command, context))
    return f"    {context.command_path} {usage}\n\n{_text(command)}\n{options}"


def _text(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "").replace("\b\n", "")


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None and "--help" not in record[0]:
            yield f"`{record[0]}`", record[1]
