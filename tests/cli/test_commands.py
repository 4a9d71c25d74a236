"""What people and programs get from each command, and what its exit code says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from uuid import UUID

from docyard.cli.main import COMMANDS
from docyard.db import Database
from docyard.queue import monitor
from tests.cli.conftest import Shell
from tests.making.pdf.pdfs import PdfPage, make_pdf, text_pdf


def _files(folder: Path) -> Path:
    folder.mkdir()
    (folder / "lease.pdf").write_bytes(text_pdf(["The slipway is kept clear."], title="Lease of the slipway"))
    (folder / "note.txt").write_text("A note\n\nabout the winch.")
    (folder / "empty.pdf").write_bytes(b"")
    return folder


def test_added_files_are_processed_by_a_worker_and_found(shell: Shell, tmp_path: Path) -> None:
    added = shell.json("add", str(_files(tmp_path / "in")))
    assert [line["outcome"] for line in added] == ["queued"] * 3
    again = shell.json("add", str(tmp_path / "in" / "note.txt"))
    assert again[0]["outcome"] == "duplicate"
    shell.run("worker", "--single-run", "--slots", "3")
    found = shell.json("search", "slipway")
    assert [hit["document_name"] for hit in found["hits"]] == ["lease.pdf"]
    assert "slipway" in shell.run("search", "slipway")


def test_dead_letters_are_listed_with_their_reason_and_replayed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "cut.pdf").write_bytes(text_pdf(["x"])[:90])
    shell.run("add", str(tmp_path / "cut.pdf"))
    shell.run("worker", "--single-run", "--slots", "3")
    letters = [letter for letter in shell.json("dead", "list") if letter["document_name"] == "cut.pdf"]
    assert (letters[0]["category"], letters[0]["stage"], letters[0]["attempts"]) == ("corrupt", "extract", 1)
    assert "damaged" in shell.run("dead", "list")
    assert shell.json("dead", "replay", letters[0]["id"]) == {"replayed": [letters[0]["id"]]}
    assert shell.json("queue", "status")["states"]["pending"] >= 1
    shell.run("worker", "--single-run", "--resources", "cpu")
    again = [letter for letter in shell.json("dead", "list") if letter["id"] == letters[0]["id"]]
    assert len(again[0]["failure_history"]) == 2


def test_process_reads_files_now_and_says_which_failed(shell: Shell, tmp_path: Path) -> None:
    lines = shell.json("process", str(_files(tmp_path / "in")), code=1)
    by_name = {Path(line["file"]).name: line for line in lines}
    assert by_name["lease.pdf"]["title"] == "Lease of the slipway"
    assert by_name["lease.pdf"]["pages"][0]["text"].startswith("The slipway")
    assert by_name["empty.pdf"]["category"] == "empty"
    assert "The file is empty." in shell.run("process", str(tmp_path / "in"), code=1)
    shell.run("process", str(tmp_path / "in" / "note.txt"))


def test_process_gives_the_same_as_the_queue(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "same.txt"
    file.write_text("Same code\n\nThe capstan turns the same way in both modes.")
    direct = shell.json("process", str(file))[0]
    shell.run("add", str(file))
    shell.run("worker", "--single-run")
    hit = shell.json("search", "capstan")["hits"][0]
    assert (hit["title"], direct["title"]) == ("Same code", "Same code")


def test_worker_refuses_a_resource_that_does_not_exist(shell: Shell) -> None:
    said = shell.run("worker", "--resources", "gpu", code=2)
    assert "Unknown resource: gpu. Choose from: cpu" in said


def embed_what_waits(shell: Shell) -> None:
    """Passages are embedded behind their documents; whoever counts jobs lets that be done first."""
    while shell.json("queue", "status")["states"]:
        shell.run("worker", "--resources", "embed", "--single-run")


def test_a_worker_of_one_stage_leaves_the_others_alone(shell: Shell, tmp_path: Path) -> None:
    embed_what_waits(shell)
    (tmp_path / "left.txt").write_text("Left alone by a worker that only chunks.")
    shell.run("add", str(tmp_path / "left.txt"))
    shell.run("worker", "--stages", "chunk", "--single-run")
    assert shell.json("queue", "status")["states"] == {"pending": 1}
    shell.run("worker", "--max-docs", "1", "--log-level", "debug", "--poll-interval", "0.1")
    assert shell.json("queue", "status")["states"] == {"pending": 1}, "its passages are yet to be embedded"
    embed_what_waits(shell)
    assert shell.json("search", "chunks", "--mode", "semantic")["mode"] == "semantic"


def test_doctor_says_what_is_there_and_what_is_missing(shell: Shell, tmp_path: Path) -> None:
    embed_what_waits(shell)
    said = shell.run("doctor")
    assert re.search(r"[1-9]\d* documents are embedded by all-MiniLM-L6-v2", said)
    assert re.search(r"Embedded PostgreSQL \d+\.\d+ answers", said)
    assert "No worker is alive" in said
    (tmp_path / "waiting.txt").write_text("Waits for a worker that never comes.")
    shell.run("add", str(tmp_path / "waiting.txt"))
    findings = json.loads(shell.run("doctor", "--json", code=3).split("\n]")[0] + "\n]")
    assert {"check": "workers", "state": "fail"}.items() <= findings[-1].items()
    shell.run("worker", "--single-run")


def test_doctor_names_a_database_that_cannot_be_reached(tmp_path: Path) -> None:
    stray = Shell(tmp_path / "home", {"DOCYARD_DATABASE_URL": "host=127.0.0.1 port=1 user=x dbname=x"})
    assert "database: The database cannot be reached" in stray.run("doctor", code=3)
    assert "cannot be reached" in stray.run("queue", "status", code=4)


def test_an_outside_database_works_as_well(stray_shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("Kept in an outside database.")
    stray_shell.run("add", str(tmp_path / "out.txt"))
    stray_shell.run("worker", "--single-run")
    embed_what_waits(stray_shell)
    assert stray_shell.json("search", "outside")["total"] == 1
    assert "DOCYARD_WEB_DATABASE_URL" in stray_shell.run("doctor")
    assert not (stray_shell.home / "postgres").exists()


def test_a_setting_that_does_not_fit_is_named(shell: Shell) -> None:
    assert "DOCYARD_PORT='soon' is not a valid int" in shell.run("doctor", code=3, DOCYARD_PORT="soon")


def test_an_unknown_workspace_is_an_error_not_a_new_tenant(shell: Shell) -> None:
    assert "There is no workspace 'Typo'" in shell.run("search", "x", "--workspace", "Typo", code=2)


def test_a_person_is_invited_with_a_link(shell: Shell) -> None:
    assert "no workspace 'Legal'" in shell.run(
        "user", "add", "ada@example.org", "--workspace", "Legal", code=2
    )
    legal = ("--workspace", "Legal")
    said = shell.run("user", "add", "Ada@Example.org", "--role", "editor", "--create", *legal)
    assert re.search(r"http://127\.0\.0\.1:\d+/sign-in\?token=\S{40,}", said)
    assert "is editor of Legal" in shell.run("user", "add", "ada@example.org", *legal), (
        "no role named: none changed"
    )
    assert "/sign-in?token=" in shell.run("sign-in", "ada@example.org")
    ada = {"email": "ada@example.org", "workspace": "Legal", "role": "editor", "operator": False}
    assert ada in shell.json("user", "list")
    assert "is an operator" in shell.run("user", "operator", "Ada@example.org")
    assert {**ada, "operator": True} in shell.json("user", "list")
    assert re.search(r"ada@example\.org +Legal +editor +yes", shell.run("user", "list"))
    assert "no longer an operator" in shell.run("user", "operator", "ada@example.org", "--revoke")
    assert ada in shell.json("user", "list")
    shell.run("user", "remove", "ada@example.org", *legal)
    assert {**ada, "workspace": None, "role": None} in shell.json("user", "list")
    assert "no user with the email address" in shell.run("user", "operator", "bob@example.org", code=2)
    assert "no user with the email address" in shell.run("sign-in", "bob@example.org", code=2)
    assert "is not a valid value" in shell.run("user", "add", "nobody", code=2)


def test_whoever_installed_docyard_is_an_operator_until_that_is_taken_away(shell: Shell) -> None:
    def owner() -> object:
        return next(
            one["operator"] for one in shell.json("user", "list") if one["email"] == "owner@localhost"
        )

    shell.run("sign-in")
    assert owner() is True
    shell.run("user", "operator", "owner@localhost", "--revoke")
    shell.run("sign-in")
    assert owner() is False


def test_no_command_makes_an_installation_by_accident(tmp_path: Path) -> None:
    stray = Shell(tmp_path / "nowhere")
    for command in (["queue", "status"], ["sign-in"], ["search", "x"], ["dead", "list"]):
        assert "There is no Docyard in" in stray.run(*command, code=3)
    assert not stray.home.exists()


def test_an_address_that_is_none_is_said_to_be_none(tmp_path: Path) -> None:
    stray = Shell(tmp_path / "home", {"DOCYARD_DATABASE_URL": "garbage"})
    assert "DOCYARD_DATABASE_URL is not an address" in stray.run("queue", "status", code=3)


def test_migrate_says_the_version(shell: Shell) -> None:
    assert re.search(r"\(version \d+\)", shell.run("migrate"))


def test_every_command_explains_itself(shell: Shell) -> None:
    listed = set(re.findall(r"^  (\S+)  ", shell.run("--help"), re.MULTILINE)) - {"-h,", "--version"}
    assert listed == set(COMMANDS)
    for command in listed:
        assert "Usage: docyard" in shell.run(command, "--help")


def test_a_paused_workspace_waits_until_it_goes_on(shell: Shell, tmp_path: Path) -> None:
    embed_what_waits(shell)
    (tmp_path / "held.txt").write_text("Held back until the operator lets it go on.")
    shell.run("add", str(tmp_path / "held.txt"))
    assert "is paused" in shell.run("pause", "workspace", "Main")
    shell.run("worker", "--single-run")
    assert shell.json("queue", "status")["states"] == {"pending": 1}
    shell.run("resume", "workspace", "Main")
    shell.run("worker", "--single-run")
    embed_what_waits(shell)
    assert shell.json("queue", "status")["states"] == {}
    assert "There is no pool 'nowhere'" in shell.run("pause", "pool", "nowhere", code=2)


def test_limits_are_set_and_lifted(shell: Shell) -> None:
    assert "2 jobs at once, 0.5 a second" in shell.run(
        "limit", "pool", "extract", "--running", "2", "--rate", "0.5"
    )
    assert "any number of jobs at once" in shell.run("limit", "pool", "extract")
    said = shell.run("limit", "workspace", "Main", "--running", "3", "--retries", "10", "--period", "5")
    assert "3 jobs at once in each pool, 10 retries in 5 minutes" in said
    assert "any number of jobs at once in each pool, 1000 retries in 60 minutes" in shell.run(
        "limit", "workspace", "Main"
    )
    assert "There is no workspace 'Typo'" in shell.run("limit", "workspace", "Typo", "--retries", "1", code=2)
    shell.run("limit", "workspace", "Main", "--retries", "0", code=2)


def test_letters_of_one_cause_are_replayed_discarded_and_exported_together(
    stray_shell: Shell, tmp_path: Path
) -> None:
    for number in range(3):
        (tmp_path / f"cut-{number}.pdf").write_bytes(text_pdf([f"x{number}"])[: 90 + number])
    (tmp_path / "empty.txt").write_bytes(b"")
    stray_shell.run("add", *map(str, tmp_path.glob("*.*")))
    stray_shell.run("worker", "--single-run", "--slots", "4")
    damaged, empty = stray_shell.json("dead", "causes")
    assert (damaged["letters"], empty["letters"], empty["category"]) == (3, 1, "empty")
    exported = [json.loads(line) for line in stray_shell.run("dead", "export").splitlines()]
    assert len(exported) == 4
    assert len(stray_shell.json("dead", "replay", "--cause", damaged["fingerprint"][:8])["replayed"]) == 3
    (letter,) = stray_shell.json("dead", "list", "--cause", empty["fingerprint"])
    assert "The file is empty." in stray_shell.run("dead", "show", letter["id"])
    assert stray_shell.json("dead", "discard", letter["id"]) == {"discarded": [letter["id"]]}
    assert stray_shell.json("dead", "list") == []
    assert "no such dead letter" in stray_shell.run("dead", "show", letter["id"], code=2)
    assert "Name letters" in stray_shell.run("dead", "discard", code=2)


def test_an_export_holds_every_letter_once_the_newest_first(
    stray_shell: Shell, database: Database, workspace: UUID
) -> None:
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO dead_letters (id, workspace_id, pool, tier, priority, type, payload, attempts,"
            " max_attempts, replays, fence, failure_history, arrived_at, died_at, category, message,"
            " retryable)"
            " SELECT gen_random_uuid(), %s, 'fetch', 1, 0, 'document', '{}', 1, 3, 0, 1, '[]', now(),"
            " now() - n * interval '1 minute', 'corrupt', n::text, false FROM generate_series(1, 1201) n",
            [workspace],
        )
    exported = [json.loads(line)["message"] for line in stray_shell.run("dead", "export").splitlines()]
    assert exported == [str(number) for number in range(1, 1202)]


def test_the_queue_shows_pools_tiers_workers_failures_and_what_is_stuck(
    stray_shell: Shell, tmp_path: Path, database: Database
) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    stray_shell.run("add", str(tmp_path / "empty.txt"))
    stray_shell.run("limit", "pool", "fetch", "--running", "3")
    fetch = next(pool for pool in stray_shell.json("queue", "pools") if pool["name"] == "fetch")
    assert (fetch["pending"], fetch["max_running"], fetch["paused"]) == (1, 3, False)
    assert [tier["name"] for tier in stray_shell.json("queue", "tiers")] == [
        "user_upload",
        "background",
        "low",
    ]
    stray_shell.run("worker", "--single-run")
    assert [worker["state"] for worker in stray_shell.json("queue", "workers")] == ["stopped"]
    assert [line["reason"] for line in stray_shell.json("queue", "failed")] == ["The file is empty."]
    assert "Nothing is stuck." in stray_shell.run("queue", "stuck")
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO pool_breakers (pool, state, open_until)"
            " VALUES ('fetch', 'open', '2038-01-19 03:14:07+00')"
        )
        conn.execute("DELETE FROM queue_samples")
    assert "Success: not measured yet" in stray_shell.run("queue", "status")
    with database.transaction() as conn:
        monitor.take_sample(conn, lag=0)
    assert re.search(r"open until 2038-01-19 03:14:07", stray_shell.run("queue", "pools"))
    assert {"open", "closed"} == {pool["breaker"] for pool in stray_shell.json("queue", "pools")}
    success = stray_shell.json("queue", "status")["success"]
    assert (success["failed"], success["recovery_rate"], success["failures_last_hour"]) == (1, 0.0, 1)
    assert "0% recovered" in stray_shell.run("queue", "status")
    for command in ("pools", "tiers", "workers", "failed"):
        assert stray_shell.run("queue", command).strip()


def test_a_document_nobody_touches_is_reported_as_stuck(
    stray_shell: Shell, tmp_path: Path, database: Database
) -> None:
    (tmp_path / "slow.txt").write_text("Nobody takes me.")
    stray_shell.run("add", str(tmp_path / "slow.txt"))
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET updated_at = now() - interval '2 hours'")
    assert "slow.txt" in stray_shell.run("queue", "stuck", code=1)


def test_a_pool_of_an_llm_connection_gets_the_limits_of_the_settings(stray_shell: Shell) -> None:
    said = stray_shell.run("pool", "add", "my-model", "--resource", "llm")
    assert "10 jobs at once, 20.0 a second" in said
    assert "keeps its limits" in stray_shell.run(
        "pool", "add", "my-model", "--resource", "llm", "--running", "1"
    )
    small = ("pool", "add", "small", "--resource", "llm")
    assert "2 jobs at once, 0.5 a second" in stray_shell.run(
        *small, DOCYARD_LLM_CONCURRENCY="2", DOCYARD_LLM_RATE="0.5"
    )
    assert "needs llm, not ocr" in stray_shell.run("pool", "add", "small", "--resource", "ocr", code=2)
    stray_shell.run("pool", "add", "reader", "--resource", "ocr")
    pools = {pool["name"]: pool for pool in stray_shell.json("queue", "pools")}
    assert (pools["my-model"]["max_running"], pools["my-model"]["rate_per_second"]) == (10, 20.0)
    assert (pools["reader"]["max_running"], pools["reader"]["rate_per_second"]) == (None, None)


def test_a_protected_file_is_read_once_its_password_is_given(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "sealed.pdf"
    file.write_bytes(make_pdf([PdfPage(["The mizzen key"])], password="halyard-seventeen"))
    added = shell.json("add", str(file))
    shell.run("worker", "--single-run")
    document = added[0]["document"]
    assert "does not open" in shell.run("unlock", document, code=2, given="wrong\n")
    assert "in the queue again" in shell.run("unlock", document, given="halyard-seventeen\n")
    shell.run("worker", "--single-run")
    assert [hit["document_name"] for hit in shell.json("search", "mizzen")["hits"]] == ["sealed.pdf"]
    assert "is not a PDF file that is waiting" in shell.run("unlock", document, code=2, given="x\n")
    kept = [
        path for path in shell.home.rglob("*") if path.is_file() and b"halyard-seventeen" in path.read_bytes()
    ]
    assert kept == []
