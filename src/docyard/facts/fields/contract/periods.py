"""When a contract begins and ends: the dates of its agreement, effect and expiry, and its term."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from docyard.facts.fields.contract.terms import Term, end_of, term_of
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.date_labels import announces_birth, is_own_date, names_town
from docyard.facts.notation.dates import WrittenDate, find_dates, select_dates
from docyard.model.facts import FieldValue

_HEAD_CHARS, _TERM_CHARS, _TAIL_CHARS = 12_000, 60_000, 3_000
_SENTENCE_END = re.compile(r"[.;]\s{1,40}[A-Z]")
_AHEAD, _BEHIND, _SAME_CLAUSE = 120, 60, 220
_MADE = re.compile(
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
_EFFECTIVE_AFTER = re.compile(
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
_PAID = re.compile(r"\b(?:installments?|instalments?|payments?|paid|payable)\b", re.IGNORECASE)
_RENEWED = re.compile(
    r"\b(?:renew\w*|(?<!unless )(?<!terminated or )(?<!renewed or )extend\w*|extension|verlänger\w*"
    r"|renouvel\w*|reconduct\w*|prorrog\w*|prórrog\w*|rinnov\w*|verleng\w*|kündig\w*|gekündigt)\b",
    re.IGNORECASE,
)
_SIGNED_LINE = re.compile(r"^[^\n,]{2,60},[^\n]{6,70}$", re.MULTILINE)
_BY_SIGNATURE = re.compile(
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


def contract_dates(paper: Paper, conventions: Conventions) -> Iterator[FieldValue]:
    """Date of the agreement, of its effect and of its expiry, and how long it runs."""
    text = paper.text
    head = find_dates(text[:_HEAD_CHARS], conventions)
    agreed = _first_after(text, _MADE, head, _HEAD_CHARS) or _signed(text, conventions)
    if agreed is not None:
        yield paper.field("agreement_date", agreed.start, agreed.end, agreed.iso, confidence=0.85)
    dates = find_dates(text, conventions)
    others = (each for each in head if not announces_birth(text[max(each.start - 40, 0) : each.start]))
    effective, confidence = _effective(text, dates, agreed or next(others, None))
    if effective is not None:
        yield paper.field(
            "effective_date", effective.start, effective.end, effective.iso, confidence=confidence
        )
    term = term_of(text, _TERM_CHARS)
    yield from _expiry(paper, dates, effective, term)
    if term is not None:
        yield paper.field("term", term.start, term.end, confidence=0.6)


def _signed(text: str, conventions: Conventions) -> WrittenDate | None:
    """The day after the town, on a line of its own: at the top, or above the signatures."""
    for line in _SIGNED_LINE.finditer(text):
        for dated in find_dates(line[0], conventions):
            before, after = line[0][: dated.start], line[0][dated.end :]
            if names_town(before) and is_own_date(before, after):
                return dated._replace(start=line.start() + dated.start, end=line.start() + dated.end)
    return None


def _expiry(
    paper: Paper, dates: list[WrittenDate], effective: WrittenDate | None, term: Term | None
) -> Iterator[FieldValue]:
    """The day that is said; else what follows from the beginning and the term, at the term's place."""
    span = _range(paper.text, dates)
    said = span[1] if span else _first_after(paper.text, _EXPIRES, dates, len(paper.text), _RENEWED)
    if said is not None:
        yield paper.field("expiration_date", said.start, said.end, said.iso, confidence=0.6)
        return
    if effective is None or term is None or not term.counted:
        return
    last = end_of(effective.value, term)
    if last is not None:
        yield paper.field("expiration_date", term.start, term.end, last.isoformat(), confidence=0.5)


def _range(text: str, dates: list[WrittenDate]) -> tuple[WrittenDate, WrittenDate] | None:
    """Both days of "the term is from … to …"."""
    for one, other in pairwise(dates):
        joined = _RANGE.fullmatch(text, one.end, other.start)
        if joined and _TERM_BEFORE.search(text, max(one.start - _AHEAD, 0), one.start):
            return one, other
    return None


def _last_signed(text: str, dates: list[WrittenDate]) -> WrittenDate | None:
    """Where the last signature makes it effective, the latest of the days beside the signatures."""
    if not _BY_SIGNATURE.search(text, 0, _HEAD_CHARS):
        return None
    tail = select_dates(dates, max(len(text) - _TAIL_CHARS, 0), len(text))
    beside = [each for each in tail if _DATE_LABEL.search(text[max(each.start - 20, 0) : each.start])]
    return max(beside, key=lambda each: each.value, default=None)


def _effective(
    text: str, dates: list[WrittenDate], agreed: WrittenDate | None
) -> tuple[WrittenDate | None, float]:
    """Called so, before or after; else the day on which it begins; else the day on which it was made."""
    for dated in dates:
        if _EFFECTIVE_AFTER.match(text, dated.end):
            return dated, 0.92
    signed = _last_signed(text, dates)
    if signed is not None:
        return signed, 0.7
    called = _first_after(text, _EFFECTIVE, dates, len(text))
    if called is not None:
        return called, 0.85
    begins = _first_after(text, _BEGINS, dates, min(len(text), 40_000), _PAID, ahead=25, behind=60)
    span = _range(text, dates)
    if begins is None and span is not None:
        begins = span[0]
    return begins or agreed, 0.6


def _first_after(
    text: str,
    words: re.Pattern[str],
    dates: list[WrittenDate],
    most: int,
    unless: re.Pattern[str] | None = None,
    ahead: int = _BEHIND,
    behind: int = _SAME_CLAUSE,
) -> WrittenDate | None:
    """The first date that stands close after such words, with no sentence's end between."""
    for match in words.finditer(text, 0, most):
        if unless is not None and unless.search(text, max(match.start() - behind, 0), match.end()):
            continue
        for dated in select_dates(dates, match.end(), match.end() + ahead + 1):
            if not _SENTENCE_END.search(text, match.end(), dated.start):
                return dated
    return None
