"""Nonsense, by the constraint or unique index that must refuse it."""

from __future__ import annotations

# A value for each column that has no default; a refusal changes some of them. {w} and {d} stand for a
# workspace and one of its documents, {u} for a user.
GOOD: dict[str, dict[str, str]] = {
    "workspaces": {"name": "'Fine'"},
    "users": {"email": "'a@b.c'"},
    "memberships": {"workspace_id": "'{w}'", "user_id": "'{u}'", "role": "'viewer'"},
    "sign_in_links": {"token_hash": "sha256('x')", "user_id": "'{u}'", "expires_at": "now()"},
    "sessions": {
        "token_hash": "sha256('x')",
        "user_id": "'{u}'",
        "workspace_id": "'{w}'",
        "csrf_token": "'x'",
        "expires_at": "now()",
    },
    "tiers": {"tier": "7", "name": "'seventh'", "weight": "1"},
    "blobs": {"workspace_id": "'{w}'", "sha256": "repeat('a', 64)", "size": "1"},
    "documents": {"workspace_id": "'{w}'", "name": "'a'"},
    "stage_results": {
        "document_id": "'{d}'",
        "workspace_id": "'{w}'",
        "stage": "'ocr'",
        "version": "1",
        "outcome": "'done'",
        "job_id": "gen_random_uuid()",
        "fence": "1",
        "worker_id": "gen_random_uuid()",
        "seconds": "1",
    },
    "renditions": {
        "document_id": "'{d}'",
        "workspace_id": "'{w}'",
        "kind": "'page'",
        "page": "1",
        "blob_key": "'{w}/key'",
        "media_type": "'image/png'",
    },
    "pages": {
        "document_id": "'{d}'",
        "workspace_id": "'{w}'",
        "number": "1",
        "text": "''",
        "width": "0",
        "height": "0",
        "words": "''",
    },
    "chunks": {
        "document_id": "'{d}'",
        "workspace_id": "'{w}'",
        "ordinal": "0",
        "page": "1",
        "start_offset": "0",
        "end_offset": "3",
        "text": "'abc'",
        "config": "'simple'",
    },
    "pools": {"pool": "'new'", "resource": "'cpu'"},
    "workspace_limits": {"workspace_id": "'{w}'"},
    "workers": {
        "id": "gen_random_uuid()",
        "host": "'h'",
        "pid": "1",
        "pools": "'{{}}'",
        "slots": "1",
        "lease_seconds": "30",
    },
    "jobs": {"workspace_id": "'{w}'", "pool": "'fetch'", "tier": "1", "type": "'test'"},
    "job_history": {
        "id": "gen_random_uuid()",
        "workspace_id": "'{w}'",
        "pool": "'fetch'",
        "tier": "1",
        "type": "'test'",
        "outcome": "'done'",
        "attempts": "1",
        "replays": "0",
        "fence": "1",
        "failure_history": "'[]'",
        "arrived_at": "now()",
    },
}

RUNNING = {"state": "'running'", "worker_id": "gen_random_uuid()", "deadline_at": "now()"}

# Constraint → the columns that make a good row bad, in as many ways as it guards against.
CHECKS: dict[str, list[dict[str, str]]] = {
    "workspaces_name_shown": [{"name": v} for v in ("''", "' a'", "'a '", "repeat('x', 201)")],
    "users_email_lower": [{"email": v} for v in ("'A@b.c'", "'@b'", "'a@'", "'ab'")],
    "memberships_role_known": [{"role": "'owner'"}, {"role": "''"}],
    "sign_in_links_hashed": [{"token_hash": "'token'"}],
    "sessions_hashed": [{"token_hash": "'token'"}],
    "tiers_weight_positive": [{"weight": "0"}, {"weight": "-1"}],
    "blobs_sha256_hex": [
        {"sha256": v} for v in ("repeat('A', 64)", "repeat('a', 63)", "'../' || repeat('a', 61)")
    ],
    "blobs_size_sane": [{"size": "-1"}],
    "documents_status_known": [{"status": "'stuck'"}],
    "documents_ended_when": [
        {"status": "'completed'"},
        {"status": "'pending'", "completed_at": "now()"},
        {"status": "'processing'", "completed_at": "now()"},
        {"status": "'cancelled'"},
    ],
    "documents_failed_why": [{"status": "'failed'", "completed_at": "now()"}],
    "documents_name_shown": [{"name": "''"}, {"name": "repeat('ä', 513)"}],
    "documents_sha256_hex": [{"sha256": "'xyz'"}],
    "documents_blob_own": [{"blob_key": v} for v in ("'key'", "'{d}/key'", "'/{w}/key'", "'{w}'")],
    "renditions_blob_own": [{"blob_key": v} for v in ("'key'", "'{d}/key'")],
    "documents_size_sane": [{"size": "-1"}],
    "documents_priority_sane": [{"priority": "40000"}, {"priority": "-40000"}],
    "documents_source_known": [{"source": "'fax'"}],
    "documents_processor_metadata_object": [{"processor_metadata": "'[]'"}, {"processor_metadata": "'null'"}],
    "documents_attached_whole": [{"entity_type": "'fault'"}, {"entity_id": "'7'"}],
    "stage_results_outcome_known": [{"outcome": "'failed'"}],
    "pages_counted_from_one": [{"number": "0"}],
    "pages_words_whole": [{"words": "'x'"}],
    "chunks_offsets_exact": [{"end_offset": "2"}, {"start_offset": "-1", "end_offset": "2"}],
    "pools_resource_known": [{"resource": "'gpu'"}],
    "pools_deadline_positive": [{"deadline_seconds": "0"}],
    "pools_cap_positive": [{"max_running": "0"}],
    "pools_rate_positive": [{"rate_per_second": "0"}, {"rate_per_second": "-1"}, {"burst": "0"}],
    "workspace_limits_cap_positive": [{"max_running": "0"}],
    "workers_state_known": [{"state": "'dead'"}],
    "workers_lease_positive": [{"lease_seconds": "0"}],
    "jobs_state_known": [{"state": "'done'"}],
    "jobs_held_while_running": [
        {"state": "'running'"},
        {**RUNNING, "deadline_at": "NULL"},
        {**RUNNING, "worker_id": "NULL"},
        {**RUNNING, "state": "'pending'"},
        {"worker_id": "gen_random_uuid()"},
    ],
    "jobs_scheduled_when": [{"state": "'scheduled'"}],
    "jobs_attempts_counted": [{"attempts": v, **RUNNING} for v in ("-1", "4")]
    + [{"max_attempts": v, **RUNNING} for v in ("0", "101")],
    "jobs_attempt_left": [{"attempts": "3"}, {"attempts": "3", "state": "'scheduled'", "run_at": "now()"}],
    "jobs_payload_small": [
        {"payload": "'[]'"},
        {"payload": "'null'"},
        {"payload": "jsonb_build_object('a', repeat('x', 70000))"},
    ],
    "jobs_history_list": [{"failure_history": "'{{}}'"}],
    "jobs_document_whole": [{"type": "'document'"}, {"type": "'document'", "stage": "'fetch'"}],
    "jobs_priority_sane": [{"priority": "40000"}],
    "job_history_outcome_known": [{"outcome": "'dead'"}],
}

# Unique index → two rows of which the second must be refused, then one that must not be.
ONCE: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "documents_content_once": ({"content_key": "'k'"}, {"content_key": "'k'", "deleted_at": "now()"}),
    "jobs_dedupe": ({"dedupe_key": "'k'"}, {"dedupe_key": "NULL"}),
}
