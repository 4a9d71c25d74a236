"""`docyard entity`: list, show and merge entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any
from uuid import UUID

import click

from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, json_option, name_workspace, workspace_option
from docyard.cli.output import print_json, print_table, strip_control_characters
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.facts.resolution.keys import make_entity_key
from docyard.facts.vocabulary import ENTITY_KINDS
from docyard.ids import parse_id
from docyard.model.entities import Entity, MentionView, Merge, RelationView
from docyard.search import entity_words, find_entities_by_name
from docyard.settings import Settings
from docyard.store.graph import entities, merges

_DECIDED_BY = "command line"


@click.group()
def entity() -> None:
    """List, show and merge the entities that documents mention."""


@contextmanager
def _workspace_transaction(settings: Settings, workspace: str) -> Iterator[tuple[Connection, UUID]]:
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            yield conn, workspace_id


@entity.command("list")
@click.argument("words", nargs=-1)
@click.option(
    "--kind", multiple=True, type=click.Choice(ENTITY_KINDS), help="Only entities of this kind; may be repeated."
)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Maximum number of entities."
)
@workspace_option
@json_option
@click.pass_obj
def list_entities(
    settings: Settings, words: tuple[str, ...], kind: tuple[str, ...], limit: int, workspace: str, as_json: bool
) -> None:
    """List all entities, or those whose names match WORDS.

    A name matches if each of WORDS is the beginning of a word in it.
    """
    with _workspace_transaction(settings, workspace) as (conn, _):
        found = entities.find_entities(conn, words=entity_words(" ".join(words)), kinds=kind, limit=limit)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [(each.kind, each.name, each.documents, each.id) for each in found]
    print_table(("Kind", "Name", "Documents", "Entity"), rows, "No entities found.")


@entity.command()
@click.argument("name")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="Maximum number of mentions."
)
@workspace_option
@json_option
@click.pass_obj
def show(settings: Settings, name: str, limit: int, workspace: str, as_json: bool) -> None:
    """Show spellings, mentions, relations and merges of an entity.

    NAME is the name or id of the entity.
    """
    with _workspace_transaction(settings, workspace) as (conn, _):
        family = entities.load_family(conn, _find_entity(conn, name, workspace))
        ids = [each.id for each in family]
        names, mentions = (entities.list_aliases(conn, ids), entities.list_entity_mentions(conn, ids, limit=limit))
        relations, pairs = entities.list_entity_relations(conn, ids), merges.list_merges(conn, ids)
    if as_json:
        lists: dict[str, Sequence[Any]] = {"aliases": names, "merged": family[1:], "merges": pairs}
        lists.update(mentions=mentions, relations=relations)
        listed = {key: [asdict(each) for each in value] for key, value in lists.items()}
        print_json({**asdict(family[0]), **listed})
        return
    click.echo(strip_control_characters(f"{family[0].name} ({family[0].kind}) {family[0].id}"))
    click.echo(strip_control_characters("Spellings: " + "; ".join(f"{each.text} ({each.mentions})" for each in names)))
    print_table(("Document", "Page", "Text", "State"), map(_mention_row, mentions), "No mentions.")
    print_table(("From", "Relation", "To", "Source", "State"), map(_relation_row, relations), "No relations.")
    print_table(("One", "Other", "Reason", "State"), map(_merge_row, pairs), "No merges.")


@entity.command("merges")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Maximum number of merges."
)
@workspace_option
@json_option
@click.pass_obj
def list_merges(settings: Settings, limit: int, workspace: str, as_json: bool) -> None:
    """List proposed merges that need a decision."""
    with _workspace_transaction(settings, workspace) as (conn, workspace_id):
        found = merges.list_proposals(conn, workspace_id, limit)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [(each.one_name, each.other_name, each.reason, each.one, each.other) for each in found]
    print_table(("One", "Other", "Reason", "Id of one", "Id of other"), rows, "No merge needs a decision.")


@entity.command()
@click.argument("one")
@click.argument("other")
@click.option(
    "--reject", is_flag=True, help="Record that the entities are different, so that this merge is not proposed again."
)
@workspace_option
@click.pass_obj
def merge(settings: Settings, one: str, other: str, reject: bool, workspace: str) -> None:
    """Merge two entities into one.

    ONE and OTHER are names or ids. `docyard entity undo` reverts the decision.
    """
    with _workspace_transaction(settings, workspace) as (conn, _):
        first, second = _find_entity(conn, one, workspace), _find_entity(conn, other, workspace)
        decide = merges.reject_merge if reject else merges.confirm_merge
        decide(conn, first.id, second.id, _DECIDED_BY)
    result = "separate entities" if reject else "one entity"
    click.echo(strip_control_characters(f"{first.name} and {second.name} are now {result}."))


@entity.command()
@click.argument("one")
@click.argument("other")
@workspace_option
@click.pass_obj
def undo(settings: Settings, one: str, other: str, workspace: str) -> None:
    """Undo a confirmed or rejected merge of two entities.

    ONE and OTHER are names or ids.
    """
    with _workspace_transaction(settings, workspace) as (conn, _):
        first, second = _find_entity(conn, one, workspace), _find_entity(conn, other, workspace)
        if not merges.undo_merge(conn, first.id, second.id):
            raise BadInput(f"There is no decision to undo about {first.name} and {second.name}.")
    click.echo(strip_control_characters(f"The decision about {first.name} and {second.name} was undone."))


def _find_entity(conn: Connection, name: str, workspace: str) -> Entity:
    """Return the entity with this id or name; raise BadInput with a list of the entities if several match."""
    entity_id = parse_id(name)
    if entity_id is not None:
        return entities.get_entity(conn, entity_id)
    found = [entities.get_entity(conn, each) for each in find_entities_by_name(conn, name)]
    exact = [each for each in found if each.key == make_entity_key(each.kind, name)] or found
    if not exact:
        command = name_workspace("docyard entity list", workspace)
        raise NotFound(f"There is no entity {name!r}. List entities with: {command}")
    if len(exact) > 1:
        candidates = "; ".join(f"{each.name} ({each.kind}) {each.id}" for each in exact[:10])
        raise BadInput(f"Several entities match {name!r}. Use the id of one of them: {candidates}")
    return exact[0]


def _mention_row(mention: MentionView) -> tuple[object, ...]:
    return (mention.document_name, mention.page, mention.text, mention.state)


def _relation_row(relation: RelationView) -> tuple[object, ...]:
    source = f"{relation.document_name}, page {relation.page}"
    return (relation.from_name, relation.type.replace("_", " "), relation.to_name, source, relation.state)


def _merge_row(merge: Merge) -> tuple[object, ...]:
    return (merge.one_name, merge.other_name, merge.reason, merge.state)
