"""A workspace with documents to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from docyard.db import Connection, Database
from docyard.model.stage_values import Chunk
from docyard.search import Filters, QueryVector, SearchResult, search
from docyard.store import embeddings, results
from docyard.store.word_counts import fold_text_changes

FINGERPRINT = "three dimensions"


@dataclass
class Library:
    """A workspace whose documents are added as the database owner and searched with the web role."""

    owner: Database
    web: Database
    workspace: UUID
    names: dict[UUID, str] = field(default_factory=dict)

    def put(self, name: str, *texts: str, language: str = "en", **columns: object) -> UUID:
        """Add a completed document with one passage per text."""
        with self.owner.transaction() as conn:
            row = conn.execute(
                "INSERT INTO documents (workspace_id, name, title, language, media_type, tags, document_date,"
                " status, completed_at)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, 'completed', now()) RETURNING id",
                (
                    self.workspace,
                    name,
                    columns.get("title"),
                    language,
                    columns.get("media_type", "text/plain"),
                    columns.get("tags", []),
                    columns.get("day"),
                ),
            ).fetchone()
        assert row
        self.names[row["id"]] = name
        self.write(row["id"], *texts, language=language)
        return UUID(str(row["id"]))

    def write(self, document: UUID, *texts: str, language: str = "en") -> None:
        """Replace the passages of a document."""
        chunks = [Chunk(n, 1, 0, len(text), text) for n, text in enumerate(texts)]
        with self.owner.transaction() as conn:
            results.save_chunks(conn, document, self.workspace, chunks, language)

    def count(self) -> None:
        """Update the word counts, as a worker does."""
        with self.owner.transaction() as conn:
            fold_text_changes(conn, 10_000)

    def embed(self, document: UUID, *vectors: Sequence[float]) -> None:
        """Save these three-dimensional vectors for the passages of a document."""
        with self.owner.transaction() as conn:
            model = embeddings.ensure_model(conn, "three", FINGERPRINT, 3)
            ids = [chunk for chunk, _ in embeddings.list_unembedded_chunks(conn, document, model, 100)]
            for chunk, vector in zip(ids, vectors, strict=True):
                conn.execute(
                    "INSERT INTO chunk_embeddings SELECT id, %s, document_id, workspace_id, %s::halfvec"
                    " FROM chunks WHERE id = %s",
                    (model, str(list(vector)), chunk),
                )

    def search(
        self, words: str, mode: str = "lexical", meaning: Sequence[float] = (), **narrowed: object
    ) -> SearchResult:
        """Search with the web role."""
        vector = QueryVector(FINGERPRINT, str(list(meaning))) if meaning else None
        filters = Filters(**narrowed)  # type: ignore[arg-type]
        with self.web.transaction(self.workspace) as conn:
            return search(conn, words, mode=mode or None, meaning=vector, filters=filters)

    def find_names(
        self, words: str, mode: str = "lexical", meaning: Sequence[float] = (), **narrowed: object
    ) -> list[str]:
        """Return the names of the found documents, best first."""
        result = self.search(words, mode, meaning, **narrowed)
        return [self.names[hit.document_id] for hit in result.hits]


def list_tags(conn: Connection, workspace: UUID) -> list[str]:
    """Return the registered tags of a workspace."""
    rows = conn.execute("SELECT name FROM tags WHERE workspace_id = %s ORDER BY key", (workspace,))
    return [row["name"] for row in rows]
