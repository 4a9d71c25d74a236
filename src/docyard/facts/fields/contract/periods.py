"""Dates of a contract: agreement, effective and expiration date, and its term."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from docyard.facts.fields.contract.terms import Term, compute_end, find_term
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.date_labels import announces_birth, is_own_date, names_town
from docyard.facts.notation.dates import WrittenDate, find_dates, select_dates
from docyard.model.facts import FieldValue

_OPENING_CHARS, _TERM_CHARS, _SIGNATURE_CHARS = 12_000, 60_000, 3_000
_SENTENCE_END = re.compile(r"[.;]\s{1,40}[A-Z]")
_CONTEXT_CHARS, _MAX_DISTANCE, _CLAUSE_CHARS = 120, 60, 220
_AGREED = re.compile(
    r"\b(?:made|entered\s{1,40}into|dated|executed|agreed|given|granted)\b[^.;]{0,80}?\b(?:as\s{1,40}of|this|on|of"
    r"|effective"
    r"|the)\b|\bdated?\b\s{0,40}:?|\bdate\s{1,40}of\s{1,40}(?:signature|this\s{1,40}agreement)\s{0,40}:?"
    r"|\bdatiert\b|\bvom\b|\b(?:ab)?geschlossen\s{1,40}am\b",
    re.IGNORECASE,
)
_EFFECTIVE = re.compile(
    r"[\"“']?effective\s{1,40}date[\"”']?\s{0,40}(?:\)|:|means?|shall\s{1,40}mean|is"
    r"|of\s{1,40}this\s{1,40}agreement\s{1,40}is"
    r"|shall\s{1,40}be)|\beffective\s{1,40}(?:as\s{1,40}of|on|from|date)?|"
    r"[\"“']?commencement\s{1,40}date[\"”']?\s{0,40}(?:means?|:|is|shall\s{1,40}be)"
    r"|\bin\s{1,40}effect\s{1,40}(?:from|as\s{1,40}of|on)"
    r"|tritt\s{1,40}am\b|start\s{1,40}date\s{0,40}:|entre\s{1,40}en\s{1,40}vigueur\s{1,40}le"
    r"|beginnt\s{1,40}am|mit\s{1,40}Wirkung\s{1,40}(?:vom|zum)"
    r"|(?:enters?|comes?|come\s{1,40}into)\s{1,40}(?:into\s{1,40})?force\s{1,40}on|takes?\s{1,40}effect\s{1,40}on"
    r"|pren(?:d|ant|dra)\s{1,40}effet\s{1,40}(?:le|au)|entrar[áa]\s{1,40}en\s{1,40}vigor\s{1,40}el"
    r"|gaat\s{1,40}in\s{1,40}op|in\s{1,40}vigore\s{1,40}dal",
    re.IGNORECASE,
)
_EFFECTIVE_LABEL_AFTER = re.compile(
    r"\s{0,40},?\s{0,40}\(?\s{0,40}(?:the\s{1,40}|hereinafter\s{1,40}the\s{1,40})?[\"“']\s{0,40}(?:effective"
    r"|commencement)\s{1,40}date",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:commence[sd]?|begins?|commencing|beginning|starts?|starting)\b\s{0,40}(?:on|as\s{1,40}of"
    r"|from|at)?\s"
    r"|\bà\s{1,40}compter\s{1,40}du\s|\bab\s{1,40}dem\s|\bdesde\s{1,40}el\s|\ba\s{1,40}partir\s{1,40}del?\s"
    r"|\ba\s{1,40}decorrere\s{1,40}dal\s|\bmet\s{1,40}ingang\s{1,40}van\s|\bvanaf\s",
    re.IGNORECASE,
)
_EXPIRES = re.compile(
    r"\b(?:expires?|expiring|terminat(?:e|es|ing)|ends?|ending|continue[sd]?|through|until)\b\s{0,40}(?:on"
    r"|as\s{1,40}of|at|until|through|and\s{1,40}including|to)?\s"
    r"|\bendet\s{1,40}(?:am|mit\s{1,40}Ablauf\s{1,40}des)\s|\bbis\s{1,40}(?:zum|einschließlich)\s|\bbefristet\s{1,40}bis\s"
    r"|\b(?:prend(?:ra)?\s{1,40}fin|expire(?:ra)?|se\s{1,40}termine(?:ra)?|s.achèvera?)\s{1,40}le\s|\bjusqu.au\s"
    r"|\b(?:finaliza(?:ndo|rá)?|vence(?:rá)?|termina(?:rá)?|hasta)\s{1,40}el\s|\bscad(?:e|rà)\s{1,40}il\s|\bfino\s{1,40}al\s"
    r"|\beindigt\s{1,40}op\s|\btot\s{1,40}en\s{1,40}met\s",
    re.IGNORECASE,
)
_PAYMENT = re.compile(r"\b(?:installments?|instalments?|payments?|paid|payable)\b", re.IGNORECASE)
_RENEWAL = re.compile(
    r"\b(?:renew\w*|(?<!unless )(?<!terminated or )(?<!renewed or )extend\w*|extension|verlänger\w*"
    r"|renouvel\w*|reconduct\w*|prorrog\w*|prórrog\w*|rinnov\w*|verleng\w*|kündig\w*|gekündigt)\b",
    re.IGNORECASE,
)
_SIGNED_LINE = re.compile(r"^[^\n,]{2,60},[^\n]{6,70}$", re.MULTILINE)
_LAST_SIGNATURE = re.compile(
    r"\b(?:date\s{1,40}of\s{1,40}(?:the\s{1,40})?last\s{1,40}signature|last\s{1,40}date\s{1,40}(?:of\s{1,40})?"
    r"sign\w+|date\s{1,40}(?:last\s{1,40})?signed\s{1,40}by\s{1,40}(?:both|all)\s{1,40}parties)\b",
    re.IGNORECASE,
)
_DATE_LABEL = re.compile(r"\bdated?\s{0,9}:?\s{0,9}$", re.IGNORECASE)
_RANGE = re.compile(
    r"\s{0,20}(?:to|through|until|till|-|–|and\s{1,40}(?:ending|ends|expiring|expires)\s{1,40}on"
    r"|bis(?:\s{1,40}zum)?|au|al|tot(?:\s{1,40}en\s{1,40}met)?|t/m|hasta\s{1,40}el)\s{0,20}"
)
_TERM_BEFORE = re.compile(
    r"\b(?:term|period|commenc\w*|begin\w*|start\w*|effective|laufzeit|mietzeit|vertragsdauer|dauer|befristet"
    r"|durée|duración|durata|looptijd|vigencia)\b[^.;]{0,60}$",
    re.IGNORECASE,
)


def find_contract_dates(document: DocumentText, conventions: Conventions) -> Iterator[FieldValue]:
    """Yield the agreement, effective and expiration dates and the term of a contract."""
    text = document.text
    opening_dates = find_dates(text[:_OPENING_CHARS], conventions)
    agreed = _find_date_after(text, _AGREED, opening_dates, _OPENING_CHARS) or _find_signing_date(text, conventions)
    if agreed is not None:
        yield document.make_field("agreement_date", agreed.start, agreed.end, agreed.iso, confidence=0.85)
    dates = find_dates(text, conventions)
    others = (each for each in opening_dates if not announces_birth(text[max(each.start - 40, 0) : each.start]))
    effective, score = _find_effective_date(text, dates, agreed or next(others, None))
    if effective is not None:
        yield document.make_field("effective_date", effective.start, effective.end, effective.iso, confidence=score)
    term = find_term(text, _TERM_CHARS)
    yield from _find_expiration(document, dates, effective, term)
    if term is not None:
        yield document.make_field("term", term.start, term.end, confidence=0.6)


def _find_signing_date(text: str, conventions: Conventions) -> WrittenDate | None:
    """Return the first date that follows a town on a line of its own, as above a signature."""
    for line in _SIGNED_LINE.finditer(text):
        for dated in find_dates(line[0], conventions):
            before, after = line[0][: dated.start], line[0][dated.end :]
            if names_town(before) and is_own_date(before, after):
                return dated._replace(start=line.start() + dated.start, end=line.start() + dated.end)
    return None


def _find_expiration(
    document: DocumentText, dates: list[WrittenDate], effective: WrittenDate | None, term: Term | None
) -> Iterator[FieldValue]:
    """Yield the stated expiration date, else the end computed from the term, at the span of the term."""
    period = _find_period(document.text, dates)
    stated = period[1] if period else _find_date_after(document.text, _EXPIRES, dates, len(document.text), _RENEWAL)
    if stated is not None:
        yield document.make_field("expiration_date", stated.start, stated.end, stated.iso, confidence=0.6)
        return
    if effective is None or term is None or not term.has_start:
        return
    last = compute_end(effective.value, term)
    if last is not None:
        yield document.make_field("expiration_date", term.start, term.end, last.isoformat(), confidence=0.5)


def _find_period(text: str, dates: list[WrittenDate]) -> tuple[WrittenDate, WrittenDate] | None:
    """Return both dates of "the term is from … to …"."""
    for first, last in pairwise(dates):
        connector = _RANGE.fullmatch(text, first.end, last.start)
        if connector and _TERM_BEFORE.search(text, max(first.start - _CONTEXT_CHARS, 0), first.start):
            return first, last
    return None


def _find_last_signature_date(text: str, dates: list[WrittenDate]) -> WrittenDate | None:
    """Return the latest date next to a signature if the last signature makes the contract effective."""
    if not _LAST_SIGNATURE.search(text, 0, _OPENING_CHARS):
        return None
    tail = select_dates(dates, max(len(text) - _SIGNATURE_CHARS, 0), len(text))
    labelled = [each for each in tail if _DATE_LABEL.search(text[max(each.start - 20, 0) : each.start])]
    return max(labelled, key=lambda each: each.value, default=None)


def _find_effective_date(
    text: str, dates: list[WrittenDate], agreed: WrittenDate | None
) -> tuple[WrittenDate | None, float]:
    """Return the effective date and a confidence.

    In order of preference: a date before the label "Effective Date", the last signature, a date after such a
    label, the start of the term, and the agreement date.
    """
    for dated in dates:
        if _EFFECTIVE_LABEL_AFTER.match(text, dated.end):
            return dated, 0.92
    signed = _find_last_signature_date(text, dates)
    if signed is not None:
        return signed, 0.7
    labelled = _find_date_after(text, _EFFECTIVE, dates, len(text))
    if labelled is not None:
        return labelled, 0.85
    begins = _find_date_after(text, _BEGINS, dates, min(len(text), 40_000), _PAYMENT, max_distance=25, context_chars=60)
    period = _find_period(text, dates)
    if begins is None and period is not None:
        begins = period[0]
    return begins or agreed, 0.6


def _find_date_after(
    text: str,
    words: re.Pattern[str],
    dates: list[WrittenDate],
    limit: int,
    unless: re.Pattern[str] | None = None,
    max_distance: int = _MAX_DISTANCE,
    context_chars: int = _CLAUSE_CHARS,
) -> WrittenDate | None:
    """Return the first date shortly after a match of `words`, in the same sentence.

    Matches shortly after a match of `unless` are skipped.
    """
    for match in words.finditer(text, 0, limit):
        if unless is not None and unless.search(text, max(match.start() - context_chars, 0), match.end()):
            continue
        for dated in select_dates(dates, match.end(), match.end() + max_distance + 1):
            if not _SENTENCE_END.search(text, match.end(), dated.start):
                return dated
    return None
