"""Where the name of an organisation ends, which the model knows, and its legal form, which the rule knows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docyard.facts.entities.spans import Found
from docyard.facts.notation.plain_name import plain_name

_LABEL_BEFORE = re.compile(r"(?:^|\n|[ \t]{2})[^\W\d][\w /.-]{1,28}:[ \t]*$")
_REST = re.compile(
    r"(?:[ \t](?:&|of|de|der|des|du|van|von|and|und|et|[A-ZÄÖÜÉÈÀÅØ][\w'’.-]*)){1,4}(?=[ \t]*(?:[,;|\n]|$"
    r"|[ \t]{2}))"
)
_LOOKED_BACK = 40


def whole_values(text: str, named: Sequence[Found]) -> list[Found]:
    """Organisations right after a label as far as the value goes: "Buyer: Sailing School Albatross"."""
    return [_whole(text, each) for each in named]


def _whole(text: str, each: Found) -> Found:
    labelled = _LABEL_BEFORE.search(text[max(each.start - _LOOKED_BACK, 0) : each.start])
    rest = _REST.match(text, each.end) if each.kind == "organisation" and labelled else None
    if rest is None:
        return each
    return each._replace(end=rest.end(), normal=plain_name(text[each.start : rest.end()]))


def shorter(rule: Found, named: Sequence[Found]) -> bool:
    """Whether the model found the same organisation without its legal form."""
    return any(_same(rule, each) for each in named)


def with_forms(named: Sequence[Found], found: Sequence[Found]) -> list[Found]:
    """What the model found, with the normal form of the same organisation by rule."""
    forms = {(each.start, each.kind): each for each in found if each.kind == "organisation"}
    return [_with_form(each, forms.get((each.start, each.kind))) for each in named]


def _with_form(each: Found, rule: Found | None) -> Found:
    if rule is None or not _same(rule, each):
        return each
    return each._replace(normal=rule.normal, confidence=max(each.confidence, rule.confidence))


def _same(rule: Found, each: Found) -> bool:
    one = rule.kind == each.kind == "organisation" and rule.start == each.start
    return one and rule.end - _LONGEST_FORM <= each.end <= rule.end


_LONGEST_FORM = 24  # letters, as of "(haftungsbeschränkt)"
