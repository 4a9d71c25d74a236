"""Checks of optional models: for OCR and for embeddings."""

from __future__ import annotations

from docyard.cli.doctor.findings import OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.errors import Reject
from docyard.inference import embedding
from docyard.ocr import models, select_engine, tesseract
from docyard.store import embeddings


def check_ocr(installation: Installation) -> Finding:
    """Check which OCR engine reads scanned pages, if any."""
    try:
        engine = select_engine(installation.limits.ocr_engine)
    except Reject as reason:
        words = (
            f"{reason.message} Documents with scans end as degraded, without the text of those pages."
            " After the installation, retry each of them with: docyard retry ID"
        )
        return Finding("scans", WARN, words)
    if engine is not tesseract.read:
        return Finding("scans", OK, "Scans are read with the OCR models of the package rapidocr.")
    words = "Scans are read with tesseract."
    if not models.find_missing():
        return Finding("scans", OK, words)
    words += f" The OCR models are more accurate. To use them, install {models.find_missing()}."
    return Finding("scans", WARN, words)


def check_semantic_search(installation: Installation) -> Finding:
    """Check whether semantic search is available, and count the embedded documents."""
    model = embedding.find_model()
    if model is None:
        words = (
            "Semantic search is off, so search matches words only."
            f" Not installed: {embedding.find_missing()}. Install it, then restart Docyard."
        )
        return Finding("search by meaning", WARN, words)
    with installation.db.transaction() as conn:
        if not embeddings.has_vector_tables(conn):
            words = (
                "Semantic search is off, so search matches words only. The database has no pgvector that its"
                " owner may use. Install pgvector 0.8 or later, then run: docyard migrate"
            )
            return Finding("search by meaning", WARN, words)
        number = embeddings.find_model(conn, model.fingerprint)
        done = embeddings.count_embedded(conn, number) if number is not None else 0
    return Finding("search by meaning", OK, f"{done} documents are embedded with the model {model.name}.")
