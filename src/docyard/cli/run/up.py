"""`docyard up`: everything on this machine, with one command."""

from __future__ import annotations

import http.client
import socket
from contextlib import suppress
from http import HTTPStatus

import click

from docyard import clock, log
from docyard import settings as settings_module
from docyard.cli.installation import Installation, make_home, opened, public_url, reachable_host
from docyard.cli.people.links import command_line, owner_link
from docyard.cli.run.demo import add_samples
from docyard.cli.run.family import Family
from docyard.cli.run.running import note_port, only_one
from docyard.db.embedded import data_folder
from docyard.errors import Setup
from docyard.settings import Settings
from docyard.web.server import PortTaken, listen
from docyard.worker.stopping import Stopping

_READY_WITHIN = 60.0
_PORTS_TRIED = 50


@click.command()
@click.option("--port", type=int, help="Port for the web app [8400, or the next free one; 0 takes any].")
@click.option("--demo", is_flag=True, help="Also load a few sample documents.")
@click.pass_obj
def up(settings: Settings, port: int | None, demo: bool) -> None:
    """Start the database, the web app and a worker, and print a sign-in link."""
    stopping = Stopping()
    stopping.on_signals()
    log.configure("WARNING", as_json=settings.log_json)
    click.echo("Starting Docyard …")
    make_home(settings.home)
    with only_one(settings.home, stopping.wake) as turn:
        if turn.ours:
            _run(settings, port, demo=demo, stopping=stopping)
        elif turn.port is not None:
            _join(settings, turn.port, demo=demo)


def _join(settings: Settings, port: int, *, demo: bool) -> None:
    # Another build that is started meanwhile must not change the schema under the running one.
    with opened(settings) as installation:
        if demo:
            add_samples(installation)
        _say_running(installation, port)


def _run(settings: Settings, port: int | None, *, demo: bool, stopping: Stopping) -> None:
    with opened(settings, install=True) as installation:
        if demo:
            add_samples(installation)
        listener = _listen(settings, port)
        chosen = int(listener.getsockname()[1])
        note_port(settings.home, chosen)
        with Family(settings.home, listener, stopping) as family:
            _await_ready(reachable_host(settings.host), chosen, family, stopping)
            if not stopping.draining:
                _say_ready(installation, chosen)
            family.watch()


def _listen(settings: Settings, asked: int | None) -> socket.socket:
    wanted = settings.port if asked is None else asked
    fixed = asked is not None or settings_module.is_given("port")
    for port in range(wanted, wanted + (1 if fixed else _PORTS_TRIED)):
        with suppress(PortTaken):
            return listen(settings.host, port)
    raise Setup(f"Port {wanted} is taken by another program; choose another with PORT=… or --port.")


def _await_ready(host: str, port: int, family: Family, stopping: Stopping) -> None:
    until = clock.monotonic() + _READY_WITHIN
    while not stopping.draining:
        if _answers(host, port):
            return
        if clock.monotonic() > until or not family.all_alive():
            raise Setup(f"The web app did not start. Its log ends with:\n{family.last_words('serve')}")
        stopping.wake.wait(0.1)


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/readyz", headers={"Host": "localhost"})
        return connection.getresponse().status == HTTPStatus.OK
    except (http.client.HTTPException, OSError):
        return False
    finally:
        connection.close()


def _say_ready(installation: Installation, port: int) -> None:
    link = owner_link(installation, public_url(installation.settings, port))
    click.echo("\nDocyard is up. Open this link to sign in (good once, for 15 minutes):\n")
    click.secho(f"    {link}\n", bold=True)
    click.echo(f"For another link: {command_line(installation.settings, 'sign-in')}\nStop with Ctrl-C.")
    home = installation.settings.home
    click.echo(f"Data and logs: {home}")
    if installation.server is not None and not data_folder(home).is_relative_to(home):
        click.echo(f"Database files: {data_folder(home)} (its account cannot enter {home})")


def _say_running(installation: Installation, port: int) -> None:
    link = owner_link(installation, public_url(installation.settings, port))
    click.echo("\nDocyard is already up. Open this link to sign in (good once, for 15 minutes):\n")
    click.secho(f"    {link}\n", bold=True)
