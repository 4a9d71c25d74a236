"""Canonicalise: the entity that each mention names, by a key that does not depend on other documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from docyard.facts.resolution.keys import entity_key, legal_form
from docyard.model.facts import Canonical, EntityKey, Mention
from docyard.model.stages import Given, Stage
from docyard.model.values import Canonicalised, Mentioned


def run(given: Given) -> Canonicalised:
    """Give every mention the key of its entity; days and amounts have none."""
    mentions = given.the(Mentioned).mentions
    keys = [entity_key(each.kind, each.normal or each.text) for each in mentions]
    told_apart = _told_apart(mentions, keys)
    found = (_canonical(each, key, told_apart) for each, key in zip(mentions, keys, strict=True))
    return Canonicalised(tuple(found))


def _told_apart(mentions: Sequence[Mention], keys: Sequence[str]) -> set[EntityKey]:
    """Organisations that this document names with different legal forms: the form then tells them apart."""
    forms: dict[EntityKey, set[str]] = defaultdict(set)
    for each, key in zip(mentions, keys, strict=True):
        if each.kind == "organisation" and (form := legal_form(each.normal)):
            forms[EntityKey(each.kind, key)].add(form)
    return {key for key, found in forms.items() if len(found) > 1}


def _canonical(mention: Mention, key: str, told_apart: set[EntityKey]) -> Canonical:
    form = legal_form(mention.normal) if EntityKey(mention.kind, key) in told_apart else ""
    return Canonical(mention, f"{key} {form}".strip())


STAGE = Stage(
    name="canonicalise",
    version=1,
    resource="cpu",
    needs=(Mentioned,),
    gives=Canonicalised,
    run=run,
    label="Canonicalise",
    activity="Telling who is who",
)
