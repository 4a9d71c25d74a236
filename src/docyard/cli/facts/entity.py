"""`docyard entity`: what documents mention, found, shown, merged and told apart again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any
from uuid import UUID

import click

from docyard.cli.installation import opened
from docyard.cli.options import json_option, workspace_named, workspace_option
from docyard.cli.output import plain, print_json, print_table
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.facts.resolution.keys import entity_key
from docyard.facts.vocabulary import THINGS
from docyard.ids import parse_id
from docyard.model.entities import Entity, Merge, PlacedMention, PlacedRelation
from docyard.search import entities_named, entity_words
from docyard.settings import Settings
from docyard.store.graph import entities, merges

_BY = "command line"


@click.group()
def entity() -> None:
    """What documents mention: people, organisations, cases, equipment and more."""


@contextmanager
def _inside(settings: Settings, workspace: str) -> Iterator[tuple[Connection, UUID]]:
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = workspace_named(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            yield conn, workspace_id


@entity.command("list")
@click.argument("words", nargs=-1)
@click.option("--kind", multiple=True, type=click.Choice(THINGS), help="Only entities of this kind.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@workspace_option
@json_option
@click.pass_obj
def list_entities(
    settings: Settings,
    words: tuple[str, ...],
    kind: tuple[str, ...],
    limit: int,
    workspace: str,
    as_json: bool,
) -> None:
    """List entities, all or those whose names have words that begin so."""
    with _inside(settings, workspace) as (conn, _):
        found = entities.find_entities(conn, words=entity_words(" ".join(words)), kinds=kind, most=limit)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [(each.kind, each.name, each.documents, each.id) for each in found]
    print_table(("Kind", "Name", "Documents", "Entity"), rows, "There are no such entities.")


@entity.command()
@click.argument("name")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="Most mentions."
)
@workspace_option
@json_option
@click.pass_obj
def show(settings: Settings, name: str, limit: int, workspace: str, as_json: bool) -> None:
    """Show one entity, by name or id: how it is written, where it is mentioned, how it relates."""
    with _inside(settings, workspace) as (conn, _):
        family = entities.family_of(conn, _the(conn, name))
        ids = [each.id for each in family]
        names, mentions = entities.aliases(conn, ids), entities.mentions_of(conn, ids, most=limit)
        relations, pairs = entities.relations_of(conn, ids), merges.merges_of(conn, ids)
    if as_json:
        told: dict[str, Sequence[Any]] = {"aliases": names, "merged": family[1:], "merges": pairs}
        told.update(mentions=mentions, relations=relations)
        listed = {key: [asdict(each) for each in value] for key, value in told.items()}
        print_json({**asdict(family[0]), **listed})
        return
    click.echo(plain(f"{family[0].name} ({family[0].kind}) {family[0].id}"))
    click.echo(plain("Written: " + "; ".join(f"{each.text} ({each.mentions})" for each in names)))
    print_table(("Document", "Page", "Text", "State"), map(_place, mentions), "It is mentioned nowhere.")
    print_table(("From", "Relation", "To", "Said in", "State"), map(_relation, relations), "Nothing relates.")
    print_table(("One", "Other", "Why", "State"), map(_merge, pairs), "No merge is proposed.")


@entity.command("merges")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@workspace_option
@json_option
@click.pass_obj
def list_merges(settings: Settings, limit: int, workspace: str, as_json: bool) -> None:
    """List entities that may be one and wait for a decision."""
    with _inside(settings, workspace) as (conn, workspace_id):
        found = merges.open_merges(conn, workspace_id, limit)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    rows = [(each.one_name, each.other_name, each.reason, each.one, each.other) for each in found]
    print_table(("One", "Other", "Why", "Entity", "Entity"), rows, "No merge waits for a decision.")


@entity.command()
@click.argument("one")
@click.argument("other")
@click.option("--reject", is_flag=True, help="They are two: do not propose it again.")
@workspace_option
@click.pass_obj
def merge(settings: Settings, one: str, other: str, reject: bool, workspace: str) -> None:
    """Say that two entities, by name or id, are one; `undo` takes it back."""
    with _inside(settings, workspace) as (conn, _):
        first, second = _the(conn, one), _the(conn, other)
        decide = merges.reject_merge if reject else merges.confirm_merge
        decide(conn, first.id, second.id, _BY)
    click.echo(plain(f"{first.name} and {second.name} are {'two' if reject else 'one'}."))


@entity.command()
@click.argument("one")
@click.argument("other")
@workspace_option
@click.pass_obj
def undo(settings: Settings, one: str, other: str, workspace: str) -> None:
    """Take back what was decided about two entities."""
    with _inside(settings, workspace) as (conn, _):
        first, second = _the(conn, one), _the(conn, other)
        if not merges.undo_merge(conn, first.id, second.id):
            raise BadInput(f"Nothing was decided about {first.name} and {second.name}.")
    click.echo(plain(f"What was decided about {first.name} and {second.name} is undone."))


def _the(conn: Connection, name: str) -> Entity:
    """The one entity of that id or name; several are told, so that one can be named by its id."""
    entity_id = parse_id(name)
    if entity_id is not None:
        return entities.get_entity(conn, entity_id)
    found = [entities.get_entity(conn, each) for each in entities_named(conn, name)]
    exact = [each for each in found if each.key == entity_key(each.kind, name)] or found
    if not exact:
        raise NotFound(f"There is no entity {name!r}.")
    if len(exact) > 1:
        told = "; ".join(f"{each.name} ({each.kind}) {each.id}" for each in exact[:10])
        raise BadInput(f"Several entities are called so; name one by its id: {told}")
    return exact[0]


def _place(mention: PlacedMention) -> tuple[object, ...]:
    return (mention.document_name, mention.page, mention.text, mention.state)


def _relation(relation: PlacedRelation) -> tuple[object, ...]:
    said = f"{relation.document_name}, page {relation.page}"
    return (relation.from_name, relation.type.replace("_", " "), relation.to_name, said, relation.state)


def _merge(merge: Merge) -> tuple[object, ...]:
    return (merge.one_name, merge.other_name, merge.reason, merge.state)
