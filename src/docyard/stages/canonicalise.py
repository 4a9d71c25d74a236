"""Canonicalise: an entity key for each mention, which does not depend on other documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from docyard.facts.resolution.keys import find_legal_form, make_entity_key
from docyard.model.facts import CanonicalMention, EntityKey, Mention
from docyard.model.stage_values import CanonicalMentions, DocumentMentions
from docyard.model.stages import Stage, StageInput


def run(inputs: StageInput) -> CanonicalMentions:
    """Return every mention with the key of its entity; the key is empty for dates and amounts."""
    mentions = inputs.get(DocumentMentions).mentions
    keys = [make_entity_key(each.kind, each.normal or each.text) for each in mentions]
    distinct = _find_distinct(mentions, keys)
    found = (_make_canonical(each, key, distinct) for each, key in zip(mentions, keys, strict=True))
    return CanonicalMentions(tuple(found))


def _find_distinct(mentions: Sequence[Mention], keys: Sequence[str]) -> set[EntityKey]:
    """Return organisations that occur with several legal forms; their keys must include the form."""
    forms: dict[EntityKey, set[str]] = defaultdict(set)
    for each, key in zip(mentions, keys, strict=True):
        if each.kind == "organisation" and (form := find_legal_form(each.normal)):
            forms[EntityKey(each.kind, key)].add(form)
    return {key for key, found in forms.items() if len(found) > 1}


def _make_canonical(mention: Mention, key: str, distinct: set[EntityKey]) -> CanonicalMention:
    form = find_legal_form(mention.normal) if EntityKey(mention.kind, key) in distinct else ""
    return CanonicalMention(mention, f"{key} {form}".strip())


STAGE = Stage(
    name="canonicalise",
    version=1,
    resource="cpu",
    inputs=(DocumentMentions,),
    output=CanonicalMentions,
    run=run,
    label="Canonicalise",
    activity="Identifying entities",
)
