"""The doctor's checks of what only some installations have: models that read scans and make vectors."""

from __future__ import annotations

from docyard.cli.doctor.findings import OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.errors import Reject
from docyard.inference import embedding
from docyard.ocr import chosen, models, tesseract
from docyard.store import embeddings


def scans(installation: Installation) -> Finding:
    """Whether pages that are pictures can be read, and by what."""
    try:
        engine = chosen(installation.limits.ocr_engine)
    except Reject as reason:
        words = f"{reason.message} They end amber, and can be retried once it is there."
        return Finding("scans", WARN, words)
    if engine is not tesseract.read:
        return Finding("scans", OK, "Scans are read by the OCR models of the package rapidocr.")
    instead = f" Without {models.missing()} they are read less well." if models.missing() else ""
    return Finding("scans", WARN if instead else OK, f"Scans are read by tesseract.{instead}")


def meaning(installation: Installation) -> Finding:
    """Whether search goes by meaning too, and for how many documents."""
    model = embedding.find_model()
    if model is None:
        words = f"off: {embedding.missing()} is not installed; search goes by words."
        return Finding("search by meaning", WARN, words)
    with installation.db.transaction() as conn:
        if not embeddings.can_keep_embeddings(conn):
            words = (
                "off: the database has no pgvector that its owner may use; search goes by words."
                " Install pgvector 0.8 or later, then run: docyard migrate"
            )
            return Finding("search by meaning", WARN, words)
        number = embeddings.find_model(conn, model.fingerprint)
        done = embeddings.count_embedded(conn, number) if number is not None else 0
    return Finding("search by meaning", OK, f"{done} documents are embedded by {model.name}.")
