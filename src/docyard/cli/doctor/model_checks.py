"""Checks of the optional models for OCR and embeddings."""

from __future__ import annotations

from docyard.cli.doctor.findings import OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.errors import Reject
from docyard.inference import embedding
from docyard.ocr import models, select_engine, tesseract
from docyard.store import embeddings


def check_ocr(installation: Installation) -> Finding:
    """Check that an OCR engine can read scanned pages, and report which one it is."""
    try:
        engine = select_engine(installation.limits.ocr_engine)
    except Reject as reason:
        words = (
            f"{reason.message} Until then, documents with scans are completed as degraded, without the text"
            " of the scanned pages. Later, retry each of them with: docyard retry ID"
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
                "Semantic search is off, so search matches words only. The database has no pgvector extension"
                " that its owner may use. Install pgvector 0.8 or later, then run: docyard migrate"
            )
            return Finding("search by meaning", WARN, words)
        number = embeddings.find_model(conn, model.fingerprint)
        done = embeddings.count_embedded(conn, number) if number is not None else 0
    return Finding("search by meaning", OK, f"{done} documents are embedded with the model {model.name}.")
