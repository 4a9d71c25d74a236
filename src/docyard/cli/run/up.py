"""`docyard up`: run the database, the web app and a worker on this machine."""

from __future__ import annotations

import http.client
import socket
from contextlib import ExitStack, suppress
from http import HTTPStatus

import click

from docyard import clock, log
from docyard import settings as settings_module
from docyard.cli.blob_store import open_blobs
from docyard.cli.installation import Installation, create_home, open_installation, public_url, reachable_host
from docyard.cli.run.child_processes import ChildProcesses
from docyard.cli.run.demo import add_samples
from docyard.cli.run.up_lock import acquire_up_lock, save_port
from docyard.cli.users.links import create_owner_link, format_command
from docyard.db.embedded import data_folder
from docyard.errors import SetupError
from docyard.settings import Settings
from docyard.web.server import PortInUse, listen
from docyard.worker.stop_request import StopRequest

_READY_TIMEOUT = 60.0  # seconds
_MAX_PORT_ATTEMPTS = 50
_GRACE_SECONDS = 25.0  # ten more than until the children are killed


@click.command()
@click.option(
    "--port",
    type=int,
    help="Port of the web app; 0 for any free port (default: DOCYARD_PORT, else a free port from 8400).",
)
@click.option("--demo", is_flag=True, help="Add a few sample documents.")
@click.pass_obj
def up(settings: Settings, port: int | None, demo: bool) -> None:
    """Run database, web app and worker; print a sign-in link.

    The database schema is created or updated first. If Docyard is already running in this home, no process
    is started, but a link is printed.
    """
    stopping = StopRequest(settings.drain_seconds, _GRACE_SECONDS)
    stopping.handle_signals()
    log.configure("WARNING", as_json=settings.log_json)
    click.echo("Starting Docyard …")
    create_home(settings.home)
    with acquire_up_lock(settings.home, stopping.wake) as turn:
        if turn.acquired:
            _run(settings, port, demo=demo, stopping=stopping)
        elif turn.port is not None:
            _join(settings, turn.port, demo=demo, stopping=stopping)


def _join(settings: Settings, port: int, *, demo: bool, stopping: StopRequest) -> None:
    # Without `install`, because this may be another version, which must not change the running schema.
    with stopping.ending_at_once(), open_installation(settings) as installation:
        if demo:
            add_samples(installation, open_blobs(installation))
        _print_already_running(installation, port)


def _run(settings: Settings, port: int | None, *, demo: bool, stopping: StopRequest) -> None:
    with ExitStack() as stack:
        with stopping.ending_at_once():  # a migration that is interrupted is rolled back
            installation = stack.enter_context(open_installation(settings, install=True))
            blobs = open_blobs(installation)
            if demo:
                add_samples(installation, blobs)
            listener = _listen(settings, port)
        chosen = int(listener.getsockname()[1])
        save_port(settings.home, chosen)
        with ChildProcesses(settings.home, listener, stopping) as processes:
            _await_ready(reachable_host(settings.host), chosen, processes, stopping)
            if not stopping.draining:
                _print_ready(installation, chosen)
            processes.watch()


def _listen(settings: Settings, requested: int | None) -> socket.socket:
    first = settings.port if requested is None else requested
    fixed = requested is not None or settings_module.is_set("port")
    for port in range(first, first + (1 if fixed else _MAX_PORT_ATTEMPTS)):
        with suppress(PortInUse):
            return listen(settings.host, port)
    raise SetupError(f"Port {first} is in use by another program. Choose another one with --port, or PORT=… with make.")


def _await_ready(host: str, port: int, processes: ChildProcesses, stopping: StopRequest) -> None:
    deadline = clock.monotonic() + _READY_TIMEOUT
    while not stopping.draining:
        if _is_ready(host, port):
            return
        if clock.monotonic() > deadline or not processes.all_alive():
            raise SetupError(
                f"Docyard did not become ready. The log of the web app ends with:\n{processes.read_log_tail('serve')}"
            )
        stopping.wake.wait(0.1)


def _is_ready(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/readyz", headers={"Host": "localhost"})
        return connection.getresponse().status == HTTPStatus.OK
    except (http.client.HTTPException, OSError):
        return False
    finally:
        connection.close()


def _print_ready(installation: Installation, port: int) -> None:
    link = create_owner_link(installation, public_url(installation.settings, port))
    click.echo("\nDocyard is running. Open this link to sign in (valid once, for 15 minutes):\n")
    click.secho(f"    {link}\n", bold=True)
    click.echo(f"For another link, run: {format_command(installation.settings, 'sign-in')}\nStop with Ctrl-C.")
    home = installation.settings.home
    click.echo(f"Data and logs: {home}")
    if installation.server is not None and not data_folder(home).is_relative_to(home):
        click.echo(f"Database files: {data_folder(home)} (PostgreSQL runs as a user who cannot enter {home})")


def _print_already_running(installation: Installation, port: int) -> None:
    link = create_owner_link(installation, public_url(installation.settings, port))
    click.echo("\nDocyard is already running. Open this link to sign in (valid once, for 15 minutes):\n")
    click.secho(f"    {link}\n", bold=True)
