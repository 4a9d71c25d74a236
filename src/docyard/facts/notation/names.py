"""Where the name of a company or person ends in a sentence that goes on about it."""

from __future__ import annotations

import re

from docyard.facts.notation.legal_forms import CERTAIN_FORM, FORM, LOWER_CASE_FORM, TAIL_AFTER_FORM

# A trust or a bank may end a name as a legal form does, among the parties of a contract.
LEGAL_FORM = rf"(?:{FORM}|Trust|TRUST|Bank|BANK)"
_FORM_NEXT = re.compile(rf"\s{{0,40}}{LEGAL_FORM}\b\.?(?:\s{{1,40}}(?:{FORM})\b\.?)*")
# What no word with a capital begins: Quay GmbH & Co. KG, Quay e.K.
_REST_OF_FORM = re.compile(rf"\s{{1,3}}(?:{TAIL_AFTER_FORM}|{LOWER_CASE_FORM})\b\.?")
_ENDS_IN_FORM = re.compile(rf"\b{LEGAL_FORM}\.?$")
_ORG_END = re.compile(
    rf"\b(?:{LEGAL_FORM}|Association|Bank|Trust|University|Agency|Authority|Society|Foundation|Union"
    "|Partners(?:hip)?|Group"
    r"|ASSOCIATION|BANK|TRUST|GROUP|UNIVERSITY|SERVICES?|Services?|PARTNERS|HOLDINGS|Holdings)\b\.?$"
)
_WORD = re.compile(r"[^\s(),;:\"“”„]+")
_JOINING = {
    "of",
    "the",
    "for",
    "de",
    "la",
    "le",
    "les",
    "du",
    "des",
    "van",
    "von",
    "der",
    "und",
    "et",
    "del",
    "y",
    "en",
    "&",
    "f/b/o",
}
# After these a name is over, whatever follows; a Bank or a Company may go on with 'of'.
_STRONG_END = re.compile(rf"\b(?:{CERTAIN_FORM})\.?$")
_FAMILY = re.compile(r"(?:Sons?|Partners|Company|Co|Associates|Brothers|Daughters)\b", re.IGNORECASE)
_INITIAL = re.compile(r"(?:[A-Z]\.)+|[A-Z]")
_NEVER = {
    "DATED",
    "Dated",
    "EFFECTIVE",
    "Effective",
    "Date",
    "DATE",
    "As",
    "This",
    "THIS",
    "The",
    "Whereas",
    "Exhibit",
}
_LONGEST = 120


def name_end(text: str, start: int) -> int:
    """Where the name that begins here ends; `start` itself where none begins."""
    end = at = start
    while at - start < _LONGEST:
        word = _WORD.match(text, at)
        if word is None:
            break
        if word[0] in ("and", "AND", "And", "und"):
            if not _goes_on(text, start, end, word.end()):
                break
        elif not _is_part(word[0], first=end == start) or _is_over(text, start, end, word):
            break
        else:
            end = word.end() if word[0].casefold() not in _JOINING else end
        if _is_stop(word[0], text[start:end]):
            break
        at = _next(text, word.end(), text[start : word.end()])
        if at < 0:
            break
        end = max(end, _form_end(text, at, end))
        at = max(at, end) if end > at else at
    rest = _REST_OF_FORM.match(text, end) if end > start else None
    return _trimmed(text, start, rest.end() if rest else end)


def _is_over(text: str, start: int, end: int, word: re.Match[str]) -> bool:
    """Whether 'of' begins an address: after a legal form, or before a number."""
    if word[0].casefold() not in _JOINING or end == start:
        return False
    return bool(_STRONG_END.search(text[start:end])) or bool(
        re.compile(r"\s{1,40}\d").match(text, word.end())
    )


def _is_part(word: str, *, first: bool) -> bool:
    plain = word.lstrip("'‘’*[")
    if not plain or plain in _NEVER:
        return False
    if plain.casefold() in _JOINING:
        return not first
    return plain[0].isupper() or plain[0].isdigit() or (first and any(map(str.isdigit, plain)))


def _is_stop(word: str, so_far: str) -> bool:
    """A full stop that ends a sentence, not an initial or a short form."""
    return (
        word.endswith(".")
        and not _INITIAL.fullmatch(word)
        and len(word) > 5
        and not _ENDS_IN_FORM.search(so_far)
    )


def _next(text: str, at: int, so_far: str) -> int:
    """Where the next word of the name may begin; -1 where the name must end."""
    if _FORM_NEXT.match(text, at + 1) and text[at : at + 1] == ",":
        return at + 1 + len(text[at + 1 :]) - len(text[at + 1 :].lstrip())
    gap = re.compile(r"[ \t\u00a0]*\n?[ \t\u00a0]*(?=\S)").match(text, at)
    if gap is None or gap.end() == at or text[at : gap.end()].count("\n") > 1:
        return -1
    ended = bool(_ENDS_IN_FORM.search(so_far))
    following = _FORM_NEXT.match(text, gap.end())
    if "\n" in gap[0] and ended and not following:
        return -1
    return gap.end()


def _form_end(text: str, at: int, end: int) -> int:
    form = _FORM_NEXT.match(text, at)
    after_comma = form is not None and "," in text[end:at]
    return form.end() if form is not None and after_comma else end


def _goes_on(text: str, start: int, end: int, after: int) -> bool:
    """Whether 'and' belongs to the name, as in Savings and Loan Association."""
    if end == start or _ENDS_IN_FORM.search(text[start:end]) or "\n" in text[end : after + 1].strip(" "):
        return False
    rest = re.compile(r"\s{1,40}((?:[A-Z][\w.'’-]*\s{1,40}){0,4}[A-Z][\w.'’-]*)").match(text, after)
    if rest is None or not _ORG_END.search(rest[1]):
        return False
    return len(text[start:end].split()) > 1 or bool(_FAMILY.match(rest[1]))


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and (text[end - 1].isspace() or text[end - 1] in ",;:-–*'’"):
        end -= 1
    return end
