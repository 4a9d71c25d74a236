"""Tests of the output and exit code of each command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from uuid import UUID

from docyard.cli.main import COMMANDS
from docyard.db import Database
from docyard.queue import monitor
from tests.builders.pdf.pdfs import PdfPage, make_pdf, make_text_pdf
from tests.cli.conftest import Shell


def _make_files(folder: Path) -> Path:
    folder.mkdir()
    (folder / "lease.pdf").write_bytes(make_text_pdf(["The slipway is kept clear."], title="Lease of the slipway"))
    (folder / "note.txt").write_text("A note\n\nabout the winch.")
    (folder / "empty.pdf").write_bytes(b"")
    return folder


def test_worker_processes_added_files_and_search_finds_them(shell: Shell, tmp_path: Path) -> None:
    added = shell.json("add", str(_make_files(tmp_path / "in")))
    assert [line["outcome"] for line in added] == ["queued"] * 3
    again = shell.json("add", str(tmp_path / "in" / "note.txt"))
    assert again[0]["outcome"] == "duplicate"
    shell.run("worker", "--single-run", "--slots", "3")
    found = shell.json("search", "slipway")
    assert [hit["document_name"] for hit in found["hits"]] == ["lease.pdf"]
    assert "slipway" in shell.run("search", "slipway")


def test_lists_and_replays_dead_letters(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "cut.pdf").write_bytes(make_text_pdf(["x"])[:90])
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


def test_process_reports_results_and_failures(shell: Shell, tmp_path: Path) -> None:
    lines = shell.json("process", str(_make_files(tmp_path / "in")), code=1)
    by_name = {Path(line["file"]).name: line for line in lines}
    assert by_name["lease.pdf"]["title"] == "Lease of the slipway"
    assert by_name["lease.pdf"]["pages"][0]["text"].startswith("The slipway")
    assert by_name["empty.pdf"]["category"] == "empty"
    assert "The file is empty." in shell.run("process", str(tmp_path / "in"), code=1)
    shell.run("process", str(tmp_path / "in" / "note.txt"))


def test_process_finds_the_same_title_as_the_queue(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "same.txt"
    file.write_text("Same code\n\nThe capstan turns the same way in both modes.")
    direct = shell.json("process", str(file))[0]
    shell.run("add", str(file))
    shell.run("worker", "--single-run")
    hit = shell.json("search", "capstan")["hits"][0]
    assert (hit["title"], direct["title"]) == ("Same code", "Same code")


def test_worker_rejects_an_unknown_resource(shell: Shell) -> None:
    output = shell.run("worker", "--resources", "gpu", code=2)
    assert "Unknown resource: gpu. Choose from: cpu" in output


def run_embedding_jobs(shell: Shell) -> None:
    """Run the embedding jobs of processed documents until the queue is empty."""
    while shell.json("queue", "status")["states"]:
        shell.run("worker", "--resources", "embed", "--single-run")


def test_worker_serves_only_the_selected_stages(shell: Shell, tmp_path: Path) -> None:
    run_embedding_jobs(shell)
    (tmp_path / "left.txt").write_text("Left alone by a worker that only chunks.")
    shell.run("add", str(tmp_path / "left.txt"))
    shell.run("worker", "--stages", "chunk", "--single-run")
    assert shell.json("queue", "status")["states"] == {"pending": 1}
    shell.run("worker", "--max-docs", "1", "--log-level", "debug", "--poll-interval", "0.1")
    assert shell.json("queue", "status")["states"] == {"pending": 1}, "the embedding job is pending"
    run_embedding_jobs(shell)
    assert shell.json("search", "chunks", "--mode", "semantic")["mode"] == "semantic"


def test_doctor_reports_database_embeddings_and_missing_workers(shell: Shell, tmp_path: Path) -> None:
    run_embedding_jobs(shell)
    output = shell.run("doctor")
    assert re.search(r"[1-9]\d* documents are embedded with the model all-MiniLM-L6-v2", output)
    assert re.search(r"Embedded PostgreSQL \d+\.\d+ answers", output)
    assert "No worker is running" in output
    (tmp_path / "waiting.txt").write_text("Waits for a worker that never comes.")
    shell.run("add", str(tmp_path / "waiting.txt"))
    findings = json.loads(shell.run("doctor", "--json", code=3).split("\n]")[0] + "\n]")
    assert {"check": "workers", "state": "fail"}.items() <= findings[-1].items()
    shell.run("worker", "--single-run")


def test_doctor_reports_an_unreachable_database(tmp_path: Path) -> None:
    other_shell = Shell(tmp_path / "home", {"DOCYARD_DATABASE_URL": "host=127.0.0.1 port=1 user=x dbname=x"})
    assert "database: The database cannot be reached" in other_shell.run("doctor", code=3)
    assert "cannot be reached" in other_shell.run("queue", "status", code=4)


def test_commands_use_an_external_database(external_shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("Kept in an outside database.")
    external_shell.run("add", str(tmp_path / "out.txt"))
    external_shell.run("worker", "--single-run")
    run_embedding_jobs(external_shell)
    assert external_shell.json("search", "outside")["total"] == 1
    assert "DOCYARD_WEB_DATABASE_URL" in external_shell.run("doctor")
    assert not (external_shell.home / "postgres").exists()


def test_invalid_setting_exits_with_3(shell: Shell) -> None:
    assert "DOCYARD_PORT='soon' is not a valid int" in shell.run("doctor", code=3, DOCYARD_PORT="soon")


def test_unknown_workspace_is_an_error(shell: Shell) -> None:
    assert "There is no workspace 'Typo'" in shell.run("search", "x", "--workspace", "Typo", code=2)


def test_adds_users_and_changes_their_roles(shell: Shell) -> None:
    assert "no workspace 'Legal'" in shell.run("user", "add", "ada@example.org", "--workspace", "Legal", code=2)
    legal = ("--workspace", "Legal")
    output = shell.run("user", "add", "Ada@Example.org", "--role", "editor", "--create", *legal)
    assert re.search(r"http://127\.0\.0\.1:\d+/sign-in\?token=\S{40,}", output)
    assert "is editor of Legal" in shell.run("user", "add", "ada@example.org", *legal), (
        "without --role, the role does not change"
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
    assert "is not a valid email" in shell.run("user", "add", "nobody", code=2)


def test_owner_is_an_operator_until_revoked(shell: Shell) -> None:
    def is_operator() -> object:
        return next(one["operator"] for one in shell.json("user", "list") if one["email"] == "owner@localhost")

    shell.run("sign-in")
    assert is_operator() is True
    shell.run("user", "operator", "owner@localhost", "--revoke")
    shell.run("sign-in")
    assert is_operator() is False


def test_commands_do_not_create_an_installation(tmp_path: Path) -> None:
    other_shell = Shell(tmp_path / "nowhere")
    for command in (["queue", "status"], ["sign-in"], ["search", "x"], ["dead", "list"]):
        assert "There is no Docyard installation in" in other_shell.run(*command, code=3)
    assert not other_shell.home.exists()


def test_invalid_database_url_exits_with_3(tmp_path: Path) -> None:
    other_shell = Shell(tmp_path / "home", {"DOCYARD_DATABASE_URL": "garbage"})
    assert "DOCYARD_DATABASE_URL is not a valid PostgreSQL connection string" in other_shell.run(
        "queue", "status", code=3
    )


def test_migrate_prints_the_schema_version(shell: Shell) -> None:
    assert re.search(r"\(version \d+\)", shell.run("migrate"))


def test_every_command_has_help(shell: Shell) -> None:
    listed = set(re.findall(r"^  (\S+)  ", shell.run("--help"), re.MULTILINE)) - {"-h,", "--version"}
    assert listed == set(COMMANDS)
    for command in listed:
        assert "Usage: docyard" in shell.run(command, "--help")


def test_paused_workspace_waits_until_resumed(shell: Shell, tmp_path: Path) -> None:
    run_embedding_jobs(shell)
    (tmp_path / "held.txt").write_text("Held back until the operator lets it go on.")
    shell.run("add", str(tmp_path / "held.txt"))
    assert "is paused" in shell.run("pause", "workspace", "Main")
    shell.run("worker", "--single-run")
    assert shell.json("queue", "status")["states"] == {"pending": 1}
    shell.run("resume", "workspace", "Main")
    shell.run("worker", "--single-run")
    run_embedding_jobs(shell)
    assert shell.json("queue", "status")["states"] == {}
    assert "There is no pool 'nowhere'" in shell.run("pause", "pool", "nowhere", code=2)


def test_sets_and_removes_limits(shell: Shell) -> None:
    assert "concurrent jobs: 2; starts per second: 0.5." in shell.run(
        "limit", "pool", "extract", "--running", "2", "--rate", "0.5"
    )
    assert "concurrent jobs: no limit; starts per second: no limit." in shell.run("limit", "pool", "extract")
    output = shell.run("limit", "workspace", "Main", "--running", "3", "--retries", "10", "--period", "5")
    assert "concurrent jobs in each pool: 3; retries in 5 minutes: 10." in output
    assert "concurrent jobs in each pool: no limit; retries in 60 minutes: 1000." in shell.run(
        "limit", "workspace", "Main"
    )
    assert "There is no workspace 'Typo'" in shell.run("limit", "workspace", "Typo", "--retries", "1", code=2)
    shell.run("limit", "workspace", "Main", "--retries", "0", code=2)


def test_replays_discards_and_exports_dead_letters_by_cause(external_shell: Shell, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"cut-{number}.pdf").write_bytes(make_text_pdf([f"x{number}"])[: 90 + number])
    (tmp_path / "empty.txt").write_bytes(b"")
    external_shell.run("add", *map(str, tmp_path.glob("*.*")))
    external_shell.run("worker", "--single-run", "--slots", "4")
    damaged, empty = external_shell.json("dead", "causes")
    assert (damaged["letters"], empty["letters"], empty["category"]) == (3, 1, "empty")
    exported = [json.loads(line) for line in external_shell.run("dead", "export").splitlines()]
    assert len(exported) == 4
    assert len(external_shell.json("dead", "replay", "--cause", damaged["fingerprint"][:8])["replayed"]) == 3
    (letter,) = external_shell.json("dead", "list", "--cause", empty["fingerprint"])
    assert "The file is empty." in external_shell.run("dead", "show", letter["id"])
    assert external_shell.json("dead", "discard", letter["id"]) == {"discarded": [letter["id"]]}
    assert external_shell.json("dead", "list") == []
    assert "no such dead letter" in external_shell.run("dead", "show", letter["id"], code=2)
    assert "Pass the ids of dead letters" in external_shell.run("dead", "discard", code=2)


def test_export_contains_each_dead_letter_once_newest_first(
    external_shell: Shell, database: Database, workspace: UUID
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
    exported = [json.loads(line)["message"] for line in external_shell.run("dead", "export").splitlines()]
    assert exported == [str(number) for number in range(1, 1202)]


def test_queue_commands_show_pools_tiers_workers_and_failures(
    external_shell: Shell, tmp_path: Path, database: Database
) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    external_shell.run("add", str(tmp_path / "empty.txt"))
    external_shell.run("limit", "pool", "fetch", "--running", "3")
    fetch = next(pool for pool in external_shell.json("queue", "pools") if pool["name"] == "fetch")
    assert (fetch["pending"], fetch["max_running"], fetch["paused"]) == (1, 3, False)
    assert [tier["name"] for tier in external_shell.json("queue", "tiers")] == ["user_upload", "background", "low"]
    external_shell.run("worker", "--single-run")
    assert [worker["state"] for worker in external_shell.json("queue", "workers")] == ["stopped"]
    assert [line["reason"] for line in external_shell.json("queue", "failed")] == ["The file is empty."]
    assert "No document is stuck." in external_shell.run("queue", "stuck")
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO pool_breakers (pool, state, open_until) VALUES ('fetch', 'open', '2038-01-19 03:14:07+00')"
        )
        conn.execute("DELETE FROM queue_samples")
    assert "Success: not measured yet" in external_shell.run("queue", "status")
    with database.transaction() as conn:
        monitor.take_sample(conn, lag=0)
    assert re.search(r"open until 2038-01-19 03:14:07", external_shell.run("queue", "pools"))
    assert {"open", "closed"} == {pool["breaker"] for pool in external_shell.json("queue", "pools")}
    success = external_shell.json("queue", "status")["success"]
    assert (success["failed"], success["recovery_rate"], success["failures_last_hour"]) == (1, 0.0, 1)
    assert "0% of the documents with failures recovered" in external_shell.run("queue", "status")
    for command in ("pools", "tiers", "workers", "failed"):
        assert external_shell.run("queue", command).strip()


def test_queue_reports_stuck_documents(external_shell: Shell, tmp_path: Path, database: Database) -> None:
    (tmp_path / "slow.txt").write_text("Nobody takes me.")
    external_shell.run("add", str(tmp_path / "slow.txt"))
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET updated_at = now() - interval '2 hours', reason = 'Waits for a scanner.'")
    output = external_shell.run("queue", "stuck", code=1)
    assert "slow.txt" in output
    assert "Waits for a scanner." in output


def test_llm_pool_gets_default_limits_from_settings(external_shell: Shell) -> None:
    output = external_shell.run("pool", "add", "my-model", "--resource", "llm")
    assert "concurrent jobs: 10; starts per second: 20.0." in output
    assert "keeps its limits" in external_shell.run("pool", "add", "my-model", "--resource", "llm", "--running", "1")
    small = ("pool", "add", "small", "--resource", "llm")
    assert "concurrent jobs: 2; starts per second: 0.5." in external_shell.run(
        *small, DOCYARD_LLM_CONCURRENCY="2", DOCYARD_LLM_RATE="0.5"
    )
    output = external_shell.run("pool", "add", "small", "--resource", "ocr", code=2)
    assert "uses the resource llm, not ocr" in output
    external_shell.run("pool", "add", "reader", "--resource", "ocr")
    pools = {pool["name"]: pool for pool in external_shell.json("queue", "pools")}
    assert (pools["my-model"]["max_running"], pools["my-model"]["rate_per_second"]) == (10, 20.0)
    assert (pools["reader"]["max_running"], pools["reader"]["rate_per_second"]) == (None, None)


def test_unlocks_a_protected_file_without_storing_the_password(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "sealed.pdf"
    file.write_bytes(make_pdf([PdfPage(["The mizzen key"])], password="halyard-seventeen"))
    added = shell.json("add", str(file))
    shell.run("worker", "--single-run")
    document = added[0]["document"]
    assert "does not open" in shell.run("unlock", document, code=2, stdin="wrong\n")
    assert "in the queue again" in shell.run("unlock", document, stdin="halyard-seventeen\n")
    shell.run("worker", "--single-run")
    assert [hit["document_name"] for hit in shell.json("search", "mizzen")["hits"]] == ["sealed.pdf"]
    assert "is not a PDF file that is waiting" in shell.run("unlock", document, code=2, stdin="x\n")
    leaks = [path for path in shell.home.rglob("*") if path.is_file() and b"halyard-seventeen" in path.read_bytes()]
    assert leaks == []
