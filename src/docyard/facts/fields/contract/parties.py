"""Parties of a contract: from the passage that names them, else from the signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docyard.facts.fields.layout.document_text import DocumentText, collapse_whitespace
from docyard.facts.notation.names import LEGAL_FORM, find_name_end
from docyard.model.facts import FieldValue

_OPENING_CHARS, _SIGNATURE_CHARS, _PASSAGE_CHARS = 15_000, 8_000, 3_000
_ANCHOR = re.compile(
    r"\b(?:by\s{1,40}and\s{1,40})?(?:between|among|amongst|zwischen"
    r"|entre\s{1,40}les\s{1,40}soussignée?s|reunidos|tussen|fra\s{1,40}le\s{1,40}parti|[Dd]e\s{1,40}ondergetekenden)\b[\s:,]{0,40}"
    r"(?:and among\b)?|^[ \t]{0,40}(?:THE\s)?PARTIES[ \t]{0,40}:?[ \t]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_PASSAGE_END = re.compile(
    r"WHEREAS|WITNESSETH|W I T N E S S E T H|\bRECITALS?\b|\bBACKGROUND\b|NOW,?\s{1,40}THEREFORE|agree(?:s"
    r"|d)?\s{1,40}as\s{1,40}follows|TABLE OF"
    r" CONTENTS|Table of Contents|\n\s{0,40}(?:1\.|I\.|ARTICLE|SECTION|A\.)\s|[Pp]reliminary [Ss]tatement"
    r"|\bhereby agrees?\b|Präambel"
    r"|\b(?:is|are) (?:made|entered)|PREAMBLE|Preamble"
)
# Matches '("Buyer")', '(the "Company")' or 'hereinafter referred to as "North"'.
_DEFINITION = re.compile(
    r"\((?P<in>[^()]{0,160}?)[\"“”„«'‘]{1,2}(?P<term>[^\"“”„«»()]{1,60}?)[\"“”»'’]{1,2}[^()]{0,160}\)"
    r"|(?:here(?:in)?after|nachfolgend|im\s{1,40}Folgenden|ci-après|en\s{1,40}adelante|di\s{1,40}seguito"
    r"|hierna)\s{1,40}(?:referred\s{1,40}to\s{1,40}as|called"
    r"|dénommée?s?|el|la|denominat[ao]|te\s{1,40}noemen:?)?\s{0,40},?"
    r"\s{0,40}(?:the\s{1,40})?[\"“”„«]\s?(?P<bare>[^\"“”„«»]{1,60}?)\s?[\"“”»]"
    r"|^[ \t]{0,9}[-–][ \t]{0,3}[\"“”„«](?P<dashed>[^\"“”„«»\n]{1,60})[\"“”»][ \t]{0,3}[-–][ \t]{0,9}$"
    r"|\((?P<plain>(?:the|THE)\s{1,3}[A-Z][A-Za-z]{2,20}(?:\s[A-Z][a-z]{2,20})?)\)",
    re.MULTILINE,
)
_NOT_A_PARTY = re.compile(
    r"(?:this\s{1,40})?\W*(?:\w+\s{1,40}){0,3}(?:agreement|contract|effective\s{1,40}date|date|part(?:y"
    r"|ies)|plan|term"
    r"|closing|lease"
    r"|commencement\s{1,40}date|vertrag)\W*", re.IGNORECASE,
)  # fmt: skip
_COLLECTIVE = re.compile(r"\b(?:collectively|each|together|individually|both|respectively)\b", re.IGNORECASE)
_LEADING_WORDS = re.compile(
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
_SIGNATURE = re.compile(
    r"^[ \t>]*(?:By\s{0,40}[:_/]|By:?\s{0,40}$|/s/|Signature\b|BY\s{0,40}[:_/]|\(?Sign)", re.MULTILINE
)
_FORM = re.compile(rf"\b{LEGAL_FORM}\b")
_NOT_A_SIGNER = re.compile(
    r"witness|signature|agreement|name\b|title\b|date\b|^by\b|/s/|exhibit|dated|page|source|attest|its:"
    r"|undersigned|accepted"
    r"|address|agreed|\bits\b|president|officer|manager|director|secretary|print", re.IGNORECASE,
)  # fmt: skip
_CAPITALISED = re.compile(r"\b[A-Z][a-z]+|[A-Z]{2,}\b")
_NOT_A_NAME = re.compile(
    r"(?:The\s{1,40})?(?:Company|Party|In|Each|Unit|Buyer|Seller|Customer|Agreement|Subject|Such|If|As|For"
    r"|An?"
    r"|On|With"
    r"|Whereas|Supplier|Employer|Employee|Contractor|Trust|Bank)(?:\s{1,40}\w+)?"
)
_RECITALS = re.compile(
    r"\bWHEREAS\b|\bW ?I ?T ?N ?E ?S ?S ?E ?T ?H\b|\n\s{0,40}(?:RECITALS?|Recitals?|BACKGROUND"
    r"|Background)\b\W*\n"
    r"|\bN(?:OW|ow),?\s{1,40}T(?:HEREFORE|herefore)\b|agree\s{1,40}as\s{1,40}follows"
)
_FIRST_ITEM = re.compile(r"\s{0,40}\(?1[.)]\s")
_NEXT_ITEM = re.compile(r"\n\s{0,9}\(?\d{1,2}[.)]\s")
_TITLE_CHARS, _FIRST_PAGE_CHARS = 150, 4_000
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
_AND = re.compile(r"\b(?:and|AND|And|und|UND|et|ET|sowie|DE OTRA PARTE|[Dd]e otra parte|[Dd]e la otra|[Dd]all.altra)\b")
# Consecutive capitalised words; a name begins with the first of them.
_CAPITALISED_RUN = re.compile(r"(?<![\w’'])[A-Z][\w.'&’-]*(?:,?\s{1,40}(?:[A-Z][\w.'&’-]*|of|and|&))*")


class _NameSpan(NamedTuple):
    start: int
    end: int


def find_parties(document: DocumentText) -> Iterator[FieldValue]:
    """Yield each party once."""
    text = document.text
    named, confidence = _find_in_opening(text)
    if len(named) < 2:
        signed = _find_signers(text)
        if len(signed) > len(named):
            named, confidence = signed, 0.6
    seen: list[str] = []
    for span in named:
        key = re.sub(r"\W", "", text[span.start : span.end]).casefold()
        if key and not any(key in known or known in key for known in seen):
            seen.append(key)
            yield document.make_field("party", span.start, span.end, confidence=confidence)


def _find_in_opening(text: str) -> tuple[list[_NameSpan], float]:
    """Return the parties in the opening, preferably those with a defined short name, and a confidence."""
    opening = text[: _find_opening_end(text)]
    listed: list[_NameSpan] = []
    most_defined: list[_NameSpan] = []
    for anchor in _ANCHOR.finditer(opening):
        passage = _find_passage(text, anchor.end())
        defined = list(_find_defined(text, *passage))
        if len(defined) >= 2 and _has_certain(text, defined):
            return defined, 0.92
        most_defined = defined if len(defined) > len(most_defined) else most_defined
        names = list(_find_listed(text, *passage))
        listed = names if len(names) > len(listed) else listed
    if len(listed) >= 2 and _has_certain(text, listed) and not most_defined:
        return listed, 0.75
    combined = [*most_defined, *_find_labelled(opening)]
    if len(combined) >= 2:
        return combined, 0.75
    defined = list(_find_defined_on_first_page(opening))
    return max((defined, 0.6), (listed, 0.6), (combined, 0.5), key=lambda each: len(each[0]))


def _find_opening_end(text: str) -> int:
    """Return where the opening ends: before the recitals or the agreed terms."""
    end = _RECITALS.search(text, _TITLE_CHARS, _OPENING_CHARS)
    return end.start() if end else min(_OPENING_CHARS // 2, len(text))


def _has_certain(text: str, spans: list[_NameSpan]) -> bool:
    return any(_is_certain(text[span.start : span.end]) for span in spans)


def _find_labelled(opening: str) -> Iterator[_NameSpan]:
    """Yield companies and people after a label, as in: Customer Name: MTS, INC."""
    for label in _LABEL.finditer(opening):
        line_end = opening.find("\n", label.end())
        start = label.end() + (4 if opening.startswith("The ", label.end()) else 0)
        end = min(find_name_end(opening, start), line_end if line_end >= 0 else len(opening))
        name = opening[start:end]
        if _FORM.search(name) or _is_person(name):
            yield _NameSpan(start, end)


def _is_certain(name: str) -> bool:
    return bool(_FORM.search(name)) or name.isupper()


def _find_passage(text: str, start: int) -> tuple[int, int]:
    first = _FIRST_ITEM.match(text, start)  # a numbered party, not a clause
    end = _PASSAGE_END.search(text, first.end() if first else start + 1, start + _PASSAGE_CHARS)
    return start, end.start() if end else min(start + _PASSAGE_CHARS // 2, len(text))


def _find_defined(text: str, start: int, end: int) -> Iterator[_NameSpan]:
    """Yield the name before each defined short name: at the start of the passage, or after an 'and'."""
    name_start = start
    for definition in _DEFINITION.finditer(text, start, end):
        term = _get_term(definition)
        if _NOT_A_PARTY.fullmatch(term) or _COLLECTIVE.search(definition["in"] or ""):
            continue
        span = _find_name(text, name_start, definition.start())
        name_start = definition.end()
        if span is not None and _is_name(text[span.start : span.end]):
            yield span


def _get_term(definition: re.Match[str]) -> str:
    return next((definition[name] for name in ("term", "bare", "dashed", "plain") if definition[name]), "")


def _is_name(name: str) -> bool:
    """Return whether these words are a name, and not words that begin a sentence."""
    return not _NOT_A_NAME.fullmatch(name) and (" " in name or name.isupper() or bool(_FORM.search(name)))


def _find_name(text: str, start: int, end: int) -> _NameSpan | None:
    candidates = [start] + [match.end() for match in _AND.finditer(text, start, end)]
    for begin in candidates:
        lead = _LEADING_WORDS.match(text, begin, end)
        first = lead.end() if lead else begin
        last = min(find_name_end(text, first), end) if first < end else first
        if last > first + 1 and _CAPITALISED.search(text[first:last]) and not _is_description(text, begin, first):
            return _NameSpan(first, last)
    return None


def _is_description(text: str, begin: int, first: int) -> bool:
    """Return whether the text goes on to describe the previous party, as in: , a Delaware corporation …"""
    words = text[begin : first + 12].lstrip(" \n,;")
    return bool(
        re.match(r"(?:an?|with|having|whose|located|residing|of|on|in|at|vertreten|mit|dont|demeurant)\s", words)
    )


def _find_listed(text: str, start: int, end: int) -> Iterator[_NameSpan]:
    """Yield the names in a list; a name without a legal form counts only right after 'between' or 'and'."""
    offset, introduced = start, True
    separators = (_AND, _NEXT_ITEM) if _FIRST_ITEM.match(text, start) else (_AND,)
    while offset < end:
        lead = _LEADING_WORDS.match(text, offset, end)
        first = lead.end() if lead else offset
        introduced = introduced or bool(lead and _AND.search(lead[0]))
        last = min(find_name_end(text, first), end)
        if last > first + 2:
            if _FORM.search(text[first:last]) or (introduced and _is_person(text[first:last])):
                yield _NameSpan(first, last)
            offset, introduced = last, False
            continue
        matches = (separator.search(text, max(first, offset + 1), end) for separator in separators)
        next_start = min((match.end() for match in matches if match), default=-1)
        if next_start < 0:
            return
        offset, introduced = next_start, True


def _is_person(name: str) -> bool:
    plain = not any(map(str.isdigit, name)) and not _NOT_A_SIGNER.search(name)
    return plain and 2 <= len(name.split()) <= 5 and len(name) < 60


def _find_defined_on_first_page(opening: str) -> Iterator[_NameSpan]:
    """Yield names for which the first page defines a short name, as in letter agreements."""
    for definition in _DEFINITION.finditer(opening, 0, _FIRST_PAGE_CHARS):
        term = _get_term(definition)
        begin = max(definition.start() - 250, 0)
        runs = (
            [] if _NOT_A_PARTY.fullmatch(term) else list(_CAPITALISED_RUN.finditer(opening, begin, definition.start()))
        )
        found = _find_before_role(opening, runs[-1], definition.start()) if runs and _ROLE.search(term) else None
        for run in reversed(runs):
            end = min(find_name_end(opening, run.start()), definition.start())
            if _FORM.search(opening[run.start() : end]) and len(opening[run.start() : end].split()) > 1:
                found = _NameSpan(run.start(), end)
                break
        if found is not None:
            yield found


def _find_before_role(opening: str, run: re.Match[str], end: int) -> _NameSpan | None:
    """Return a name of several words right before its role: Ann B. Lee ("Borrower")."""
    for start in (run.start(), *(run.start() + comma.end() for comma in re.finditer(r",\s{1,9}", run[0]))):
        name_stop = find_name_end(opening, start)
        if not opening[name_stop:end].strip(" ,") and len(opening[start:name_stop].split()) > 1:
            return _NameSpan(start, name_stop)
    return None


def _find_signers(text: str) -> list[_NameSpan]:
    """Return the lines above signatures that name the signing party."""
    tail_start = max(len(text) - _SIGNATURE_CHARS, 0)
    found: list[_NameSpan] = []
    for signature in _SIGNATURE.finditer(text, tail_start):
        lines = list(re.finditer(r"[^\n]+", text[max(signature.start() - 300, tail_start) : signature.start()]))
        offset = max(signature.start() - 300, tail_start)
        for line in reversed(lines[-3:]):
            words = collapse_whitespace(line[0])
            if not words or not _names_signer(words):
                continue
            start = offset + line.start() + len(line[0]) - len(line[0].lstrip())
            found.append(_NameSpan(start, start + len(line[0].strip())))
            break
    return found


def _names_signer(words: str) -> bool:
    if _NOT_A_SIGNER.search(words) or len(words) > 90:
        return False
    return bool(_FORM.search(words)) or (words.isupper() and len(words.split()) >= 2)
