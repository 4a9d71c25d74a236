"""Where in a document someone wants to look and for what, and the addresses of such looks."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from docyard.ids import parse_id
from docyard.web.inputs import page_number, whole_number


@dataclass(frozen=True, slots=True)
class Look:
    """A page, words to find on it, a passage or a thing pointed at, and whether facts are marked."""

    number: int
    words: str = ""
    start: int | None = None
    end: int | None = None
    mention: int | None = None
    entity: UUID | None = None
    plain: bool = False
    anywhere: bool = False  # no page was named


def look(
    page: str = "",
    q: str = "",
    start: str = "",
    end: str = "",
    mention: str = "",
    entity: str = "",
    marks: str = "",
) -> Look:
    """What an address asks for; a thing that cannot be one of ours is none."""
    return Look(
        page_number(page),
        q.strip(),
        whole_number(start, "start"),
        whole_number(end, "end"),
        whole_number(mention, "mention"),
        parse_id(entity),
        plain=marks == "off",
        anywhere=not page,
    )


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of other looks at a document, with the words to find and the marks as they are now."""

    document_id: UUID
    now: Look

    def page(self, number: int) -> str:
        """The same look at another page."""
        return self._to("pages", number, **self._pointed())

    def thing(self, mention: int, number: int | None = None) -> str:
        """What a mention names, with all its mentions in this document listed."""
        return self._to("chosen", number or self.now.number, mention=mention)

    def place(self, page: int, start: int, end: int) -> str:
        """A passage."""
        return self._to("pages", page, start=start, end=end)

    def without_thing(self) -> str:
        """Nothing pointed at."""
        return self._to("facts", self.now.number)

    def other_marks(self) -> str:
        """Facts marked if they are not, and the other way round."""
        asked = {"page": self.now.number, **self._words(), **self._pointed()}
        return self._address(asked | ({} if self.now.plain else {"marks": "off"}), "pages")

    def here(self) -> str:
        """This look, to come back to."""
        return self._to("chosen" if self._pointed() else "facts", self.now.number, **self._pointed())

    def _to(self, anchor: str, number: int, **asked: object) -> str:
        marks = {"marks": "off"} if self.now.plain else {}
        return self._address({"page": number, **self._words(), **asked, **marks}, anchor)

    def _words(self) -> dict[str, object]:
        return {"q": self.now.words} if self.now.words else {}

    def _pointed(self) -> dict[str, object]:
        pointed = {"mention": self.now.mention, "entity": self.now.entity}
        return {name: value for name, value in pointed.items() if value is not None}

    def _address(self, asked: dict[str, object], anchor: str) -> str:
        return f"/documents/{self.document_id}?{urlencode(asked)}#{anchor}"


def points(look: Look) -> bool:
    """Whether a thing is pointed at."""
    return look.mention is not None or look.entity is not None
