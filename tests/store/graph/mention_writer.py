"""Documents with mentions and relations, saved as the pipeline saves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from docyard.db import Connection, Database
from docyard.facts.resolution.keys import make_entity_key
from docyard.model.documents import Document
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Mention, Relation, Span
from docyard.model.limits import Limits
from docyard.model.stage_values import CanonicalMentions, DocumentMentions, ExtractedText
from docyard.model.stages import StageInput
from docyard.model.text.pages import Page
from docyard.stages import canonicalise
from docyard.store import facts, results
from docyard.store.documents import get_document

Named = tuple[str, str]  # kind and text


@dataclass
class MentionWriter:
    """A writer that adds documents with mentions to a workspace."""

    database: Database
    workspace: UUID

    def put(self, name: str, *named: Named) -> UUID:
        """Add a document that mentions these names, one per line."""
        with self.database.transaction() as conn:
            row = conn.execute(
                "INSERT INTO documents (workspace_id, name, status, completed_at)"
                " VALUES (%s, %s, 'completed', now()) RETURNING id",
                (self.workspace, name),
            ).fetchone()
            assert row
            conn.execute("DELETE FROM jobs")
        self.write_mentions(row["id"], *named)
        return UUID(str(row["id"]))

    def write_mentions(self, document_id: UUID, *named: Named, before: str = "") -> None:
        """Replace the text and mentions of a document."""
        with self.database.transaction() as conn:
            write_mentions(conn, get_document(conn, document_id), *named, before=before)

    def id(self, kind: str, name: str) -> UUID:
        """Return the id of the entity with this name."""
        return facts.entity_id(self.workspace, EntityKey(kind, make_entity_key(kind, name)))

    def rows(self, query: str, *params: object) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        with self.database.transaction(self.workspace) as conn:
            return conn.execute(query.encode(), params or None).fetchall()

    def entities(self) -> list[dict[str, Any]]:
        """Return the rows of all entities, without their timestamps."""
        return self.rows(
            "SELECT id, kind, key, name, merged_into FROM entities WHERE workspace_id = %s ORDER BY id", self.workspace
        )


def write_mentions(conn: Connection, document: Document, *named: Named, before: str = "") -> None:
    """Save the results of the stages extract, entities and canonicalise in this transaction."""
    text, mentions = before, []
    for kind, name in named:
        mentions.append(Mention(kind, Span(1, len(text), len(text) + len(name)), name, name, 0.9, "rule"))
        text += name + "\n"
    results.save_extracted(conn, document.id, document.workspace_id, ExtractedText((Page(1, text),)))
    facts.save_mentions(conn, document, mentions)
    value = canonicalise.run(StageInput([DocumentMentions(tuple(mentions))], Limits()))
    assert isinstance(value, CanonicalMentions)
    facts.save_canonical_mentions(conn, document, value.mentions)


def relate(conn: Connection, document: Document, kind: str, one: Named, other: Named | None = None) -> None:
    """Save one relation of a document, with a span at the start of its text."""
    ends = [EntityKey(end[0], make_entity_key(*end)) if end else None for end in (one, other)]
    assert ends[0]
    facts.save_relations(conn, document, [Relation(kind, ends[0], ends[1], Span(1, 0, 3), 0.7)], [])


def field_mention(name: str, kind: str, text: str, start: int) -> CanonicalMention:
    """Return a mention made from a field."""
    mention = Mention(kind, Span(1, start, start + len(text)), text, text, 0.8, "rule")
    return CanonicalMention(mention, make_entity_key(kind, text), name)


def value(name: str, text: str, normal: str = "") -> FieldValue:
    """Return a field without a span."""
    return FieldValue(name, text, normal or text, 0.9, "xml")
