"""Parameters of a document page URL, and links to other pages of the document."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from docyard.ids import parse_id
from docyard.web.inputs import parse_page_number, parse_whole_number


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The requested page of a document, with search words, a passage, or a selected mention or entity."""

    number: int
    words: str = ""
    start: int | None = None
    end: int | None = None
    mention: int | None = None
    entity: UUID | None = None
    plain: bool = False  # facts are not highlighted
    anywhere: bool = False  # the URL names no page


def parse_page_request(
    page: str = "", q: str = "", start: str = "", end: str = "", mention: str = "", entity: str = "", marks: str = ""
) -> PageRequest:
    """Parse the parameters of a document page URL; a malformed entity id is ignored."""
    return PageRequest(
        parse_page_number(page),
        q.strip(),
        parse_whole_number(start, "start"),
        parse_whole_number(end, "end"),
        parse_whole_number(mention, "mention"),
        parse_id(entity),
        plain=marks == "off",
        anywhere=not page,
    )


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Links within a document that keep the search words and the highlight setting."""

    document_id: UUID
    now: PageRequest

    def page(self, number: int) -> str:
        """Return the link to another page with the same selection."""
        return self._link("pages", number, **self._selection())

    def thing(self, mention: int, number: int | None = None) -> str:
        """Return the link that selects a mention and lists all mentions of the same entity or value."""
        return self._link("chosen", number or self.now.number, mention=mention)

    def place(self, page: int, start: int, end: int) -> str:
        """Return the link to a passage."""
        return self._link("pages", page, start=start, end=end)

    def without_thing(self) -> str:
        """Return the link that clears the selection."""
        return self._link("facts", self.now.number)

    def other_marks(self) -> str:
        """Return the link that switches the highlights of facts on or off."""
        asked = {"page": self.now.number, **self._search_words(), **self._selection()}
        return self._url(asked | ({} if self.now.plain else {"marks": "off"}), "pages")

    def here(self) -> str:
        """Return the link to the current page and selection."""
        return self._link("chosen" if self._selection() else "facts", self.now.number, **self._selection())

    def _link(self, anchor: str, number: int, **asked: object) -> str:
        marks = {"marks": "off"} if self.now.plain else {}
        return self._url({"page": number, **self._search_words(), **asked, **marks}, anchor)

    def _search_words(self) -> dict[str, object]:
        return {"q": self.now.words} if self.now.words else {}

    def _selection(self) -> dict[str, object]:
        selected = {"mention": self.now.mention, "entity": self.now.entity}
        return {name: value for name, value in selected.items() if value is not None}

    def _url(self, params: dict[str, object], anchor: str) -> str:
        return f"/documents/{self.document_id}?{urlencode(params)}#{anchor}"


def has_selection(page_request: PageRequest) -> bool:
    """Return whether a mention or an entity is selected."""
    return page_request.mention is not None or page_request.entity is not None
