"""Organisations found by the tagger, reconciled with labels and with organisations found by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.plain_name import normalise_name

_LABEL_BEFORE = re.compile(r"(?:^|\n|[ \t]{2})[^\W\d][\w /.-]{1,28}:[ \t]*$")
_REST_OF_VALUE = re.compile(
    r"(?:[ \t](?:&|of|de|der|des|du|van|von|and|und|et|[A-ZÄÖÜÉÈÀÅØ][\w'’.-]*)){1,4}(?=[ \t]*(?:[,;|\n]|$"
    r"|[ \t]{2}))"
)
_LABEL_CHARS = 40


def extend_to_label_values(text: str, named: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return the spans, with organisations after a label extended to its value: "Buyer: Quay Sailing"."""
    return [_extend(text, each) for each in named]


def _extend(text: str, each: NamedSpan) -> NamedSpan:
    labelled = _LABEL_BEFORE.search(text[max(each.start - _LABEL_CHARS, 0) : each.start])
    rest = _REST_OF_VALUE.match(text, each.end) if each.kind == "organisation" and labelled else None
    if rest is None:
        return each
    return each._replace(end=rest.end(), normal=normalise_name(text[each.start : rest.end()]))


def is_tagged(rule: NamedSpan, named: Sequence[NamedSpan]) -> bool:
    """Return whether the tagger also found this organisation, with or without its legal form."""
    return any(_is_same(rule, each) for each in named)


def adopt_rule_names(named: Sequence[NamedSpan], found: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return the tagged spans.

    Organisations that a rule also found get the rule's normal form and the higher of the two confidences.
    """
    forms = {(each.start, each.kind): each for each in found if each.kind == "organisation"}
    return [_adopt_normal(each, forms.get((each.start, each.kind))) for each in named]


def _adopt_normal(each: NamedSpan, rule: NamedSpan | None) -> NamedSpan:
    if rule is None or not _is_same(rule, each):
        return each
    return each._replace(normal=rule.normal, confidence=max(each.confidence, rule.confidence))


def _is_same(rule: NamedSpan, each: NamedSpan) -> bool:
    aligned = rule.kind == each.kind == "organisation" and rule.start == each.start
    return aligned and rule.end - _MAX_FORM_CHARS <= each.end <= rule.end


_MAX_FORM_CHARS = 24  # characters of a legal form such as "(haftungsbeschränkt)"
