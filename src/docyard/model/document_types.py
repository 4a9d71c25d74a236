"""Document types: the built-in ones and those that a workspace adds."""

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
MAX_CUSTOM_TYPES = 50
# Words that have another meaning in filters or in answers of language models.
_RESERVED = ("other", "not_sure", "none", "any", "type")
_NAME = re.compile(r"[^\W\d_]\w{1,49}")
_DESCRIPTION_LENGTH, _PHRASE_LENGTH, _MAX_PHRASES = (10, 500), (3, 80), 20


def normalise_type_name(text: str) -> str:
    """Return a type name in lower case with underscores between words; raise BadInput if it is not valid."""
    name = "_".join(unicodedata.normalize("NFC", text).lower().replace("-", " ").split())
    if not _NAME.fullmatch(name) or len(name.encode()) > 100:
        raise BadInput(
            "The name of a type must consist of 2 to 50 letters, digits and spaces, and start with a letter."
        )
    return name


@dataclass(frozen=True, slots=True)
class CustomType:
    """A document type that a workspace added: its description, and phrases that indicate it."""

    name: str
    description: str
    phrases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise BadInput if a value is not usable."""
        if self.name in DOCUMENT_TYPES:
            raise BadInput(f"{self.name} is a built-in type; it can only be switched on or off.")
        if self.name in _RESERVED or self.name != normalise_type_name(self.name):
            raise BadInput(f"{self.name!r} cannot be used as the name of a type.")
        if not _is_line(self.description, *_DESCRIPTION_LENGTH):
            raise BadInput("Describe the type in 10 to 500 characters; documents are compared with it.")
        if len(self.phrases) > _MAX_PHRASES:
            raise BadInput(f"A type can have at most {_MAX_PHRASES} key phrases.")
        if invalid := next((each for each in self.phrases if not _is_valid_phrase(each)), None):
            raise BadInput(f"A key phrase must have 3 to 80 characters, including a letter or digit: {invalid!r}.")


def make_custom_type(name: str, description: str, phrases: list[str]) -> CustomType:
    """Return a type with white space normalised and duplicate phrases removed."""
    normalised = [" ".join(each.split()) for each in phrases]
    unique = {each.casefold(): each for each in normalised if each}
    return CustomType(normalise_type_name(name), " ".join(description.split()), tuple(unique.values()))


@dataclass(frozen=True, slots=True)
class WorkspaceTypes(StageValue):
    """The document types of a workspace: the built-in ones and its own, except those switched off."""

    off: frozenset[str] = frozenset()
    own: tuple[CustomType, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all types that are switched on."""
        all_names = (*DOCUMENT_TYPES, *(each.name for each in self.own))
        return tuple(name for name in all_names if name not in self.off)


def _is_valid_phrase(text: str) -> bool:
    return _is_line(text, *_PHRASE_LENGTH) and any(map(str.isalnum, text))


def _is_line(text: str, min_length: int, max_length: int) -> bool:
    return min_length <= len(text) <= max_length and text.isprintable()
