"""The parties of a contract: from the sentence that names them, else from where they sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docyard.facts.fields.layout.document_text import Paper, one_line
from docyard.facts.notation.names import LEGAL_FORM, name_end
from docyard.model.facts import FieldValue

_HEAD_CHARS, _TAIL_CHARS, _PASSAGE_CHARS = 15_000, 8_000, 3_000
_ANCHOR = re.compile(
    r"\b(?:by\s{1,40}and\s{1,40})?(?:between|among|amongst|zwischen"
    r"|entre\s{1,40}les\s{1,40}soussignée?s|reunidos|tussen|fra\s{1,40}le\s{1,40}parti|[Dd]e\s{1,40}ondergetekenden)\b[\s:,]{0,40}"
    r"(?:and among\b)?|^[ \t]{0,40}(?:THE\s)?PARTIES[ \t]{0,40}:?[ \t]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_OVER = re.compile(
    r"WHEREAS|WITNESSETH|W I T N E S S E T H|\bRECITALS?\b|\bBACKGROUND\b|NOW,?\s{1,40}THEREFORE|agree(?:s"
    r"|d)?\s{1,40}as\s{1,40}follows|TABLE OF"
    r" CONTENTS|Table of Contents|\n\s{0,40}(?:1\.|I\.|ARTICLE|SECTION|A\.)\s|[Pp]reliminary [Ss]tatement"
    r"|\bhereby agrees?\b|Präambel"
    r"|\b(?:is|are) (?:made|entered)|PREAMBLE|Preamble"
)
# ("Buyer"), (the "Company"), hereinafter referred to as "North"
_DEFINED = re.compile(
    r"\((?P<in>[^()]{0,160}?)[\"“”„«'‘]{1,2}(?P<term>[^\"“”„«»()]{1,60}?)[\"“”»'’]{1,2}[^()]{0,160}\)"
    r"|(?:here(?:in)?after|nachfolgend|im\s{1,40}Folgenden|ci-après|en\s{1,40}adelante|di\s{1,40}seguito"
    r"|hierna)\s{1,40}(?:referred\s{1,40}to\s{1,40}as|called"
    r"|dénommée?s?|el|la|denominat[ao]|te\s{1,40}noemen:?)?\s{0,40},?"
    r"\s{0,40}(?:the\s{1,40})?[\"“”„«]\s?(?P<bare>[^\"“”„«»]{1,60}?)\s?[\"“”»]"
    r"|^[ \t]{0,9}[-–][ \t]{0,3}[\"“”„«](?P<dashed>[^\"“”„«»\n]{1,60})[\"“”»][ \t]{0,3}[-–][ \t]{0,9}$"
    r"|\((?P<plain>(?:the|THE)\s{1,3}[A-Z][A-Za-z]{2,20}(?:\s[A-Z][a-z]{2,20})?)\)",
    re.MULTILINE,
)
_NO_PARTY = re.compile(
    r"(?:this\s{1,40})?\W*(?:\w+\s{1,40}){0,3}(?:agreement|contract|effective\s{1,40}date|date|part(?:y"
    r"|ies)|plan|term"
    r"|closing|lease"
    r"|commencement\s{1,40}date|vertrag)\W*", re.IGNORECASE,
)  # fmt: skip
_ALL_OF_THEM = re.compile(r"\b(?:collectively|each|together|individually|both|respectively)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:[\s,;:.•*]+|\(\s{0,9}(?:\d+|[a-zA-Z]|[ivx]+)\s{0,9}\)|\d+[.)]\s"
    r"|(?:and|by|between|among|the following|its|the|AND|BETWEEN|And|und|UND|et|ET|der|die|dem|den|la|le)\b"
    r"|(?:y|en|e|LA|LE|The)(?=\s)"
    r"|(?:DE UNA PARTE|DE OTRA(?: PARTE)?|[Dd]e una parte|[Dd]e otra(?: parte)?|[Dd]e la otra"
    r"|[Dd].une part|[Dd].autre part"
    r"|[Oo]f the (?:one|other) part|[Dd]a una parte|[Dd]all.altra(?: parte)?|einerseits|andererseits)\b"
    r"|(?:[Ll]a société|[Ll]a sociedad|[Ll]a società|Frau|Herrn?|Madame|Monsieur|M\.|Mme|Mr\.?|Mrs\.?|Ms\.?"
    r"|D\.|Dña\.|Don|Doña|Sig\.(?:ra)?|[Dd]e heer|[Mm]evrouw)(?=\s)"
    r"|(?:Reseller|Distributor|Client|Customer|Licensee|Licensor|Company|Party"
    r" [A-F12])\s{0,9},(?=\s{1,40}[A-Z])"
    r"|(?:[A-Z][\w/]{0,30}\s){0,3}[A-Z][\w/]{0,30}\s?:)+"
)
_SIGNED = re.compile(
    r"^[ \t>]*(?:By\s{0,40}[:_/]|By:?\s{0,40}$|/s/|Signature\b|BY\s{0,40}[:_/]|\(?Sign)", re.MULTILINE
)
_FORM = re.compile(rf"\b{LEGAL_FORM}\b")
_NO_SIGNER = re.compile(
    r"witness|signature|agreement|name\b|title\b|date\b|^by\b|/s/|exhibit|dated|page|source|attest|its:"
    r"|undersigned|accepted"
    r"|address|agreed|\bits\b|president|officer|manager|director|secretary|print", re.IGNORECASE,
)  # fmt: skip
_BEFORE_PERSON = re.compile(r"\b[A-Z][a-z]+|[A-Z]{2,}\b")
_NO_NAME = re.compile(
    r"(?:The\s{1,40})?(?:Company|Party|In|Each|Unit|Buyer|Seller|Customer|Agreement|Subject|Such|If|As|For"
    r"|An?"
    r"|On|With"
    r"|Whereas|Supplier|Employer|Employee|Contractor|Trust|Bank)(?:\s{1,40}\w+)?"
)
_REASONS = re.compile(
    r"\bWHEREAS\b|\bW ?I ?T ?N ?E ?S ?S ?E ?T ?H\b|\n\s{0,40}(?:RECITALS?|Recitals?|BACKGROUND"
    r"|Background)\b\W*\n"
    r"|\bN(?:OW|ow),?\s{1,40}T(?:HEREFORE|herefore)\b|agree\s{1,40}as\s{1,40}follows"
)
_FIRST_OF_LIST = re.compile(r"\s{0,40}\(?1[.)]\s")
_NEXT_OF_LIST = re.compile(r"\n\s{0,9}\(?\d{1,2}[.)]\s")
_FIRST_WORDS, _FIRST_PAGE = 150, 4_000
_LABEL = re.compile(
    r"^[ \t]*(?:Employer|Employee|Landlord|Tenant|Lender|Borrower|Vermieter(?:in)?|Mieter(?:in)?"
    r"|Arbeitgeber(?:in)?"
    r"|Arbeitnehmer(?:in)?|Verkäufer(?:in)?|Käufer(?:in)?|Company|Customer|Client|Licensee|Licensor"
    r"|Reseller|Distributor|Supplier|Buyer|Seller"
    r"|Vendor|Party [AB12]|Owner|Renter|Lessor|Lessee|Firm|Consultant|Agent|Publisher|Author|Guarantor"
    r"|(?:Service )?Provider|Bailleur|Locataire|Prestataire|Arrendador[ae]?|Arrendatari[oa]|Opdrachtgever"
    r"|Opdrachtnemer"
    r"|Contractor|Auftraggeber(?:in)?|Auftragnehmer(?:in)?)(?:\s{1,40}Name)?\s{0,40}:[ \t]*(?=[A-Z\d])",
    re.MULTILINE,
)
_ROLE = re.compile(
    r"\b(?:Borrower|Lender|Landlord|Tenant|Lessor|Lessee|Buyer|Purchaser|Seller|Guarantor|Creditor|Licensor"
    r"|Licensee|Company|Employer|Employee|Executive|Contractor|Consultant|Client|Customer|Supplier|Vendor"
    r"|Owner|Agent|Grantor|Grantee|Assignor|Assignee|Mortgagor|Mortgagee|Pledgor|Maker|Payee|Shareholder)\b",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\b(?:and|AND|And|und|UND|et|ET|sowie|DE OTRA PARTE|[Dd]e otra parte|[Dd]e la otra|[Dd]all.altra)\b"
)
# Words with capitals one after the other; a name begins with the first of them.
_RUN = re.compile(r"(?<![\w’'])[A-Z][\w.'&’-]*(?:,?\s{1,40}(?:[A-Z][\w.'&’-]*|of|and|&))*")


class _Place(NamedTuple):
    start: int
    end: int


def parties_of(paper: Paper) -> Iterator[FieldValue]:
    """Each party once."""
    text = paper.text
    named, confidence = _named_in_head(text)
    if len(named) < 2:
        signed = _signers(text)
        if len(signed) > len(named):
            named, confidence = signed, 0.6
    seen: list[str] = []
    for place in named:
        key = re.sub(r"\W", "", text[place.start : place.end]).casefold()
        if key and not any(key in known or known in key for known in seen):
            seen.append(key)
            yield paper.field("party", place.start, place.end, confidence=confidence)


def _named_in_head(text: str) -> tuple[list[_Place], float]:
    """The parties of the passage that names most of them, those it gives a short name first."""
    head = text[: _opening(text)]
    listed: list[_Place] = []
    some: list[_Place] = []
    for anchor in _ANCHOR.finditer(head):
        passage = _passage(text, anchor.end())
        found = list(_defined_in(text, *passage))
        if len(found) >= 2 and _any_certain(text, found):
            return found, 0.92
        some = found if len(found) > len(some) else some
        named = list(_listed_in(text, *passage))
        listed = named if len(named) > len(listed) else listed
    if len(listed) >= 2 and _any_certain(text, listed) and not some:
        return listed, 0.75
    more = [*some, *_labelled(head)]
    if len(more) >= 2:
        return more, 0.75
    found = list(_defined_anywhere(head))
    return max((found, 0.6), (listed, 0.6), (more, 0.5), key=lambda each: len(each[0]))


def _opening(text: str) -> int:
    """Where the contract's opening ends: before its reasons, or what is agreed; names further down are"
    " others'."""
    over = _REASONS.search(text, _FIRST_WORDS, _HEAD_CHARS)
    return over.start() if over else min(_HEAD_CHARS // 2, len(text))


def _any_certain(text: str, places: list[_Place]) -> bool:
    return any(_is_certain(text[place.start : place.end]) for place in places)


def _labelled(head: str) -> Iterator[_Place]:
    """Companies after a label, as in: Customer Name: MTS, INC."""
    for label in _LABEL.finditer(head):
        line = head.find("\n", label.end())
        first = label.end() + (4 if head.startswith("The ", label.end()) else 0)
        last = min(name_end(head, first), line if line >= 0 else len(head))
        name = head[first:last]
        if _FORM.search(name) or _is_person(name):
            yield _Place(first, last)


def _is_certain(name: str) -> bool:
    return bool(_FORM.search(name)) or name.isupper()


def _passage(text: str, start: int) -> tuple[int, int]:
    first = _FIRST_OF_LIST.match(text, start)  # is no clause
    over = _OVER.search(text, first.end() if first else start + 1, start + _PASSAGE_CHARS)
    return start, over.start() if over else min(start + _PASSAGE_CHARS // 2, len(text))


def _defined_in(text: str, start: int, end: int) -> Iterator[_Place]:
    """Of each stretch before a short name in brackets, the name with which it begins, or that follows an"
    " 'and'."""
    before = start
    for defined in _DEFINED.finditer(text, start, end):
        term = _term(defined)
        if _NO_PARTY.fullmatch(term) or _ALL_OF_THEM.search(defined["in"] or ""):
            continue
        place = _name_in(text, before, defined.start())
        before = defined.end()
        if place is not None and _is_named(text[place.start : place.end]):
            yield place


def _term(defined: re.Match[str]) -> str:
    return next((defined[name] for name in ("term", "bare", "dashed", "plain") if defined[name]), "")


def _is_named(name: str) -> bool:
    """Whether these words are somebody's name, and no word with which a sentence begins."""
    return not _NO_NAME.fullmatch(name) and (" " in name or name.isupper() or bool(_FORM.search(name)))


def _name_in(text: str, start: int, end: int) -> _Place | None:
    begins = [start] + [match.end() for match in _AND.finditer(text, start, end)]
    for begin in begins:
        lead = _LEAD.match(text, begin, end)
        first = lead.end() if lead else begin
        last = min(name_end(text, first), end) if first < end else first
        if (
            last > first + 1
            and _BEFORE_PERSON.search(text[first:last])
            and not _is_description(text, begin, first)
        ):
            return _Place(first, last)
    return None


def _is_description(text: str, begin: int, first: int) -> bool:
    """Whether what begins here goes on about the party before, as in: , a Delaware corporation …"""
    words = text[begin : first + 12].lstrip(" \n,;")
    return bool(
        re.match(
            r"(?:an?|with|having|whose|located|residing|of|on|in|at|vertreten|mit|dont|demeurant)\s", words
        )
    )


def _listed_in(text: str, start: int, end: int) -> Iterator[_Place]:
    """Names one after the other; one that is no company's counts only right after 'between' or 'and'."""
    at, called = start, True
    marks = (_AND, _NEXT_OF_LIST) if _FIRST_OF_LIST.match(text, start) else (_AND,)
    while at < end:
        lead = _LEAD.match(text, at, end)
        first = lead.end() if lead else at
        called = called or bool(lead and _AND.search(lead[0]))
        last = min(name_end(text, first), end)
        if last > first + 2:
            if _FORM.search(text[first:last]) or (called and _is_person(text[first:last])):
                yield _Place(first, last)
            at, called = last, False
            continue
        searched = (mark.search(text, max(first, at + 1), end) for mark in marks)
        following = min((match.end() for match in searched if match), default=-1)
        if following < 0:
            return
        at, called = following, True


def _is_person(name: str) -> bool:
    plain = not any(map(str.isdigit, name)) and not _NO_SIGNER.search(name)
    return plain and 2 <= len(name.split()) <= 5 and len(name) < 60


def _defined_anywhere(head: str) -> Iterator[_Place]:
    """Companies that the first page gives a short name, as letters of agreement do."""
    for defined in _DEFINED.finditer(head, 0, _FIRST_PAGE):
        term = _term(defined)
        begin = max(defined.start() - 250, 0)
        runs = [] if _NO_PARTY.fullmatch(term) else list(_RUN.finditer(head, begin, defined.start()))
        known = _near_role(head, runs[-1], defined.start()) if runs and _ROLE.search(term) else None
        for run in reversed(runs):
            last = min(name_end(head, run.start()), defined.start())
            if _FORM.search(head[run.start() : last]) and len(head[run.start() : last].split()) > 1:
                known = _Place(run.start(), last)
                break
        if known is not None:
            yield known


def _near_role(head: str, run: re.Match[str], end: int) -> _Place | None:
    """A name of several words that stands right before its role: Ann B. Lee ("Borrower")."""
    for start in (run.start(), *(run.start() + comma.end() for comma in re.finditer(r",\s{1,9}", run[0]))):
        last = name_end(head, start)
        if not head[last:end].strip(" ,") and len(head[start:last].split()) > 1:
            return _Place(start, last)
    return None


def _signers(text: str) -> list[_Place]:
    """The lines above signatures that name who signs."""
    begin = max(len(text) - _TAIL_CHARS, 0)
    found: list[_Place] = []
    for signed in _SIGNED.finditer(text, begin):
        lines = list(re.finditer(r"[^\n]+", text[max(signed.start() - 300, begin) : signed.start()]))
        offset = max(signed.start() - 300, begin)
        for line in reversed(lines[-3:]):
            words = one_line(line[0])
            if not words or not _names_signer(words):
                continue
            start = offset + line.start() + len(line[0]) - len(line[0].lstrip())
            found.append(_Place(start, start + len(line[0].strip())))
            break
    return found


def _names_signer(words: str) -> bool:
    if _NO_SIGNER.search(words) or len(words) > 90:
        return False
    return bool(_FORM.search(words)) or (words.isupper() and len(words.split()) >= 2)
