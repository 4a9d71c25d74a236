"""Documents that say something, saved as the road saves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from docyard.db import Connection, Database
from docyard.facts.resolution.keys import entity_key
from docyard.model.documents import Document
from docyard.model.facts import Canonical, EntityKey, FieldValue, Mention, Relation, Span
from docyard.model.limits import Limits
from docyard.model.stages import Given
from docyard.model.text.pages import Page
from docyard.model.values import Canonicalised, Extracted, Mentioned
from docyard.stages import canonicalise
from docyard.store import facts, results
from docyard.store.documents import get_document

Named = tuple[str, str]  # kind and text


@dataclass
class Sayer:
    """Puts documents into a workspace and lets them mention things."""

    database: Database
    workspace: UUID

    def put(self, name: str, *named: Named) -> UUID:
        """A document that names these, one on each line."""
        with self.database.transaction() as conn:
            row = conn.execute(
                "INSERT INTO documents (workspace_id, name, status, completed_at)"
                " VALUES (%s, %s, 'completed', now()) RETURNING id",
                (self.workspace, name),
            ).fetchone()
            assert row
            conn.execute("DELETE FROM jobs")
        self.say(row["id"], *named)
        return UUID(str(row["id"]))

    def say(self, document_id: UUID, *named: Named, before: str = "") -> None:
        """Let a document name these, in place of what it named."""
        with self.database.transaction() as conn:
            say(conn, get_document(conn, document_id), *named, before=before)

    def id(self, kind: str, name: str) -> UUID:
        """The entity that is written so."""
        return facts.entity_id(self.workspace, EntityKey(kind, entity_key(kind, name)))

    def rows(self, query: str, *given: object) -> list[dict[str, Any]]:
        """What a query gives."""
        with self.database.transaction(self.workspace) as conn:
            return conn.execute(query.encode(), given or None).fetchall()

    def entities(self) -> list[dict[str, Any]]:
        """Every entity as it is kept, but for the times."""
        return self.rows(
            "SELECT id, kind, key, name, merged_into FROM entities WHERE workspace_id = %s ORDER BY id",
            self.workspace,
        )


def say(conn: Connection, document: Document, *named: Named, before: str = "") -> None:
    """Everything that entities and canonicalise save, in this transaction."""
    text, mentions = before, []
    for kind, name in named:
        mentions.append(Mention(kind, Span(1, len(text), len(text) + len(name)), name, name, 0.9, "rule"))
        text += name + "\n"
    results.save_extracted(conn, document.id, document.workspace_id, Extracted((Page(1, text),)))
    facts.save_mentions(conn, document, mentions)
    value = canonicalise.run(Given([Mentioned(tuple(mentions))], Limits()))
    assert isinstance(value, Canonicalised)
    facts.save_canonical(conn, document, value.mentions)


def relate(conn: Connection, document: Document, kind: str, one: Named, other: Named | None = None) -> None:
    """Let a document say that these relate, where its text begins."""
    ends = [EntityKey(end[0], entity_key(*end)) if end else None for end in (one, other)]
    assert ends[0]
    facts.save_related(conn, document, [Relation(kind, ends[0], ends[1], Span(1, 0, 3), 0.7)], [])


def of_field(name: str, kind: str, text: str, start: int) -> Canonical:
    """A mention that only a field knows of."""
    mention = Mention(kind, Span(1, start, start + len(text)), text, text, 0.8, "rule")
    return Canonical(mention, entity_key(kind, text), name)


def value(name: str, text: str, normal: str = "") -> FieldValue:
    """A field that stands nowhere."""
    return FieldValue(name, text, normal or text, 0.9, "xml")
