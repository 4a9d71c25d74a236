"""A test of connections that become silent without being closed."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.chaos.installation import ChaosInstallation, wait_for
from tests.chaos.instruments.proxy import Proxy

pytestmark = pytest.mark.chaos


def test_a_worker_replaces_silent_connections(scene: ChaosInstallation) -> None:
    address = scene.environ["DOCYARD_DATABASE_URL"]
    port = int(str(conninfo_to_dict(address)["port"]))
    with Proxy(lambda: port) as proxy:
        scene.environ["DOCYARD_DATABASE_URL"] = make_conninfo(address, port=proxy.port)
        scene.start_worker()
        first = wait_for(
            lambda: scene.fetch_row("SELECT id FROM workers WHERE state = 'alive'").get("id"), "the worker"
        )
        proxy.fall_silent(new_ones_too=False)
        documents = scene.add_quick(3)
        find_other = "SELECT id FROM workers WHERE id <> %(id)s"
        wait_for(lambda: scene.fetch_row(find_other, id=first), "the worker to register again")
        scene.wait_all_ended()
    scene.check_each_ended_once(documents)
