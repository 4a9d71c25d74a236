"""Preparation of a server start: account, programs, data folder and password."""

from __future__ import annotations

from pathlib import Path

from docyard import log
from docyard.db.embedded.cleanup import end_old_processes
from docyard.db.embedded.cluster.account import find_account
from docyard.db.embedded.cluster.binaries import find_binaries
from docyard.db.embedded.cluster.data_folder import create_cluster, generate_password, set_password, write_settings
from docyard.db.embedded.cluster.placement import (
    check_data_folder,
    choose_data_folder,
    lock_data_folder,
    record_data_folder,
)
from docyard.db.embedded.layout import Layout, read_text, write_private
from docyard.db.embedded.postmaster import Cluster


def prepare(layout: Layout, base: Path) -> tuple[Cluster, str]:
    """Create the cluster if needed, lock it, write its settings, and return it with its password."""
    data = choose_data_folder(layout, base)
    account = find_account(data)
    cluster = Cluster(data, find_binaries(account, base), account, layout.server_log)
    if not data.exists():
        _create(layout, cluster)
    check_data_folder(data, account, cluster.binaries.major)
    lock_data_folder(data)
    record_data_folder(layout, data)
    write_settings(data, cluster.binaries, account)
    return cluster, read_text(layout.password) or _replace_password(layout, cluster)


def _create(layout: Layout, cluster: Cluster) -> None:
    log.event("embedded.create_cluster", folder=cluster.data, account=cluster.account.name)
    password = read_text(layout.password) or generate_password()
    # Saved before it is used: a kill in between must not leave a cluster with an unknown password.
    write_private(layout.password, password)
    create_cluster(cluster.data, cluster.binaries, cluster.account, password)


def _replace_password(layout: Layout, cluster: Cluster) -> str:
    """Set a new password after its file was lost.

    The file is written last, so that the next start sets another password if this one is interrupted.
    """
    log.warn("embedded.password_replaced", folder=cluster.data)
    password = generate_password()
    end_old_processes(cluster.data)
    set_password(cluster.data, cluster.binaries, cluster.account, password)
    write_private(layout.password, password)
    return password
