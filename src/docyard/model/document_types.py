"""The types of documents that people tell apart: ours, and what a workspace makes of them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from docyard.errors import BadInput
from docyard.model.stage_value import StageValue

DOCUMENT_TYPES = (
    *("contract", "court_opinion", "filing", "court_list", "invoice", "receipt", "purchase_order"),
    *("bank_statement", "letter", "email", "manual", "work_order", "form", "report", "article", "minutes"),
    *("resume", "presentation", "spreadsheet"),
)
MOST_OWN = 50
_TAKEN = ("other", "not_sure", "none", "any", "type")  # said where no type is meant
_NAME = re.compile(r"[^\W\d_]\w{1,49}")
_DESCRIPTION, _PHRASE, _MOST_PHRASES = (10, 500), (3, 80), 20


def type_name(text: str) -> str:
    """A type as it is kept: small letters, with low lines between words."""
    name = "_".join(unicodedata.normalize("NFC", text).lower().replace("-", " ").split())
    if not _NAME.fullmatch(name) or len(name.encode()) > 100:
        raise BadInput("The name of a type has 2 to 50 letters, digits and spaces, and begins with a letter.")
    return name


@dataclass(frozen=True, slots=True)
class OwnType:
    """A type that a workspace added: what it is in words, and phrases that speak for it."""

    name: str
    description: str
    phrases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse in words what could not work."""
        if self.name in DOCUMENT_TYPES:
            raise BadInput(f"{self.name} is a type of Docyard's own; it can be switched on and off.")
        if self.name in _TAKEN or self.name != type_name(self.name):
            raise BadInput(f"A type cannot be called {self.name!r}.")
        if not _fits(self.description, *_DESCRIPTION):
            raise BadInput(
                "Describe the type in 10 to 500 characters: its meaning is compared with documents."
            )
        if len(self.phrases) > _MOST_PHRASES:
            raise BadInput(f"A type has at most {_MOST_PHRASES} key phrases.")
        if wrong := next((each for each in self.phrases if not _is_phrase(each)), None):
            raise BadInput(
                f"A key phrase has 3 to 80 characters, a letter or digit among them, not {wrong!r}."
            )


def own_type(name: str, description: str, phrases: list[str]) -> OwnType:
    """A type as a person describes it, tidied up; the same phrase counts once."""
    tidy = [" ".join(each.split()) for each in phrases]
    once = {each.casefold(): each for each in tidy if each}
    return OwnType(type_name(name), " ".join(description.split()), tuple(once.values()))


@dataclass(frozen=True, slots=True)
class KnownTypes(StageValue):
    """The types that documents of a workspace can be of: ours and its own, but for those switched off."""

    off: frozenset[str] = frozenset()
    own: tuple[OwnType, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Those to choose among."""
        every = (*DOCUMENT_TYPES, *(each.name for each in self.own))
        return tuple(name for name in every if name not in self.off)


def _is_phrase(text: str) -> bool:
    return _fits(text, *_PHRASE) and any(map(str.isalnum, text))


def _fits(text: str, least: int, most: int) -> bool:
    return least <= len(text) <= most and text.isprintable()
